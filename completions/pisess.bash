# bash completion for pisess.
# Made by python -m pisess_cli.docs from the commands' definitions; do not edit.

_pisess_commands='log show show-context find stats diff reflog export checkout branch label fork undo new name mv rm prune redact fsck migrate compact edit continue config completions help demo append rev-parse'

# Sets `options` to the options of a command; none: those of pisess itself.
_pisess_options() {
    case $1 in
        '') options='--version -s --session --session-dir -C --color --no-pager -q --quiet -h --help' ;;
        log) options='--graph --all --oneline --reverse -n --max-count --type --role --grep -i --ignore-case --since --until --full -p --patch --stat --format --date --json -z --follow -s --session --session-dir -C --color --no-pager -q --quiet -h --help' ;;
        show) options='--raw --date --json -s --session --session-dir -C --color --no-pager -q --quiet -h --help' ;;
        show-context) options='--llm --tokens --explain --system --json -s --session --session-dir -C --color --no-pager -q --quiet -h --help' ;;
        find) options='--here --cwd --name --id --since --until --role --type --model --tool --file --label --branch -i --ignore-case -F --fixed -E --regex --secrets -l --files -c --count -n --max-count --sort --date --json -s --session --session-dir -C --color --no-pager -q --quiet -h --help' ;;
        stats) options='--by --all --branch --since --until --utc --json -s --session --session-dir -C --color --no-pager -q --quiet -h --help' ;;
        diff) options='--stat -p --patch --context --date --json -s --session --session-dir -C --color --no-pager -q --quiet -h --help' ;;
        reflog) options='-n --max-count --date --json -s --session --session-dir -C --color --no-pager -q --quiet -h --help' ;;
        export) options='--format -o --output --all --all-sessions --full -f --force -s --session --session-dir -C --color --no-pager -q --quiet -h --help' ;;
        checkout) options='--root --before --tip -m --message -F --file --summarizer --edit --instructions -f --force --dry-run --json -s --session --session-dir -C --color --no-pager -q --quiet -h --help' ;;
        branch) options='--at --contains -v --verbose --tree -f --force --date --json -s --session --session-dir -C --color --no-pager -q --quiet -h --help' ;;
        label) options='-d --delete -f --force --date --json -s --session --session-dir -C --color --no-pager -q --quiet -h --help' ;;
        fork) options='--to --at --id --name --dry-run --json -s --session --session-dir -C --color --no-pager -q --quiet -h --help' ;;
        undo) options='-f --force --dry-run --json -s --session --session-dir -C --color --no-pager -q --quiet -h --help' ;;
        new) options='-m --message -F --file --to --cwd --id --name --json -s --session --session-dir -C --color --no-pager -q --quiet -h --help' ;;
        name) options='-d --delete --json -s --session --session-dir -C --color --no-pager -q --quiet -h --help' ;;
        mv) options='--to --dry-run -s --session --session-dir -C --color --no-pager -q --quiet -h --help' ;;
        rm) options='-f --force -s --session --session-dir -C --color --no-pager -q --quiet -h --help' ;;
        prune) options='--branch --older-than --merged-into --keep --strip-images --max-output -o --output --dry-run --json -s --session --session-dir -C --color --no-pager -q --quiet -h --help' ;;
        redact) options='--pattern --text -i --ignore-case --secrets -o --output --dry-run --json -s --session --session-dir -C --color --no-pager -q --quiet -h --help' ;;
        fsck) options='--all --repair --dry-run --json -s --session --session-dir -C --color --no-pager -q --quiet -h --help' ;;
        migrate) options='--backup --no-backup --dry-run -s --session --session-dir -C --color --no-pager -q --quiet -h --help' ;;
        compact) options='-m --message -F --file --summarizer --edit --instructions --keep-recent --first-kept --keep-none -f --force --dry-run --json -s --session --session-dir -C --color --no-pager -q --quiet -h --help' ;;
        edit) options='--omit -m --message -F --file --editor --restore -f --force --dry-run --json -s --session --session-dir -C --color --no-pager -q --quiet -h --help' ;;
        continue) options='--print -s --session --session-dir -C --color --no-pager -q --quiet -h --help' ;;
        config) options='--unset --list --show-origin --json -s --session --session-dir -C --color --no-pager -q --quiet -h --help' ;;
        completions) options='-s --session --session-dir -C --color --no-pager -q --quiet -h --help' ;;
        help) options='-s --session --session-dir -C --color --no-pager -q --quiet -h --help' ;;
        demo) options='-s --session --session-dir -C --color --no-pager -q --quiet -h --help' ;;
        append) options='-m --message --role --target --custom-type --data --field -F --file --parent -f --force --json -s --session --session-dir -C --color --no-pager -q --quiet -h --help' ;;
        rev-parse) options='--short --symbolic --all --verify --json -s --session --session-dir -C --color --no-pager -q --quiet -h --help' ;;
        *) options='-s --session --session-dir -C --color --no-pager -q --quiet -h --help' ;;
    esac
}

# Sets `kind` to what an option takes; fails where it takes nothing.
_pisess_option_kind() {
    case $1,$2 in
        log,-n | log,--max-count) kind=any ;;
        log,--type) kind='words message custom_message custom compaction branch_summary model_change thinking_level_change context_edit label session_info usage' ;;
        log,--role) kind='words user assistant toolResult bashExecution system custom' ;;
        log,--grep) kind=any ;;
        log,--since) kind='words today yesterday' ;;
        log,--until) kind='words today yesterday' ;;
        log,--format) kind=any ;;
        log,--date) kind='words relative iso unix format:' ;;
        show,--date) kind='words relative iso unix format:' ;;
        find,--cwd) kind=dir ;;
        find,--name) kind=any ;;
        find,--id) kind=any ;;
        find,--since) kind='words today yesterday' ;;
        find,--until) kind='words today yesterday' ;;
        find,--role) kind='words user assistant toolResult bashExecution system custom' ;;
        find,--type) kind='words message custom_message custom compaction branch_summary model_change thinking_level_change context_edit label session_info usage' ;;
        find,--model) kind=model ;;
        find,--tool) kind=tool ;;
        find,--file) kind=file ;;
        find,--label) kind=label ;;
        find,--branch) kind='words any current abandoned' ;;
        find,-n | find,--max-count) kind=any ;;
        find,--sort) kind='words modified created name messages size cwd' ;;
        find,--date) kind='words relative iso unix format:' ;;
        stats,--by) kind='words model provider role tool day project session' ;;
        stats,--branch) kind=rev ;;
        stats,--since) kind='words today yesterday' ;;
        stats,--until) kind='words today yesterday' ;;
        diff,--date) kind='words relative iso unix format:' ;;
        reflog,-n | reflog,--max-count) kind=any ;;
        reflog,--date) kind='words relative iso unix format:' ;;
        export,--format) kind='words markdown html jsonl sqlite parquet' ;;
        export,-o | export,--output) kind=file ;;
        checkout,-m | checkout,--message) kind=any ;;
        checkout,-F | checkout,--file) kind=file ;;
        checkout,--summarizer) kind=program ;;
        checkout,--instructions) kind=any ;;
        branch,--at) kind=rev ;;
        branch,--contains) kind=rev ;;
        branch,--date) kind='words relative iso unix format:' ;;
        label,-d | label,--delete) kind=rev ;;
        label,--date) kind='words relative iso unix format:' ;;
        fork,--to) kind=dir ;;
        fork,--at) kind=rev ;;
        fork,--id) kind=any ;;
        fork,--name) kind=any ;;
        new,-m | new,--message) kind=any ;;
        new,-F | new,--file) kind=file ;;
        new,--to | new,--cwd) kind=dir ;;
        new,--id) kind=any ;;
        new,--name) kind=any ;;
        mv,--to) kind=dir ;;
        prune,--branch) kind=rev ;;
        prune,--older-than) kind='words today yesterday' ;;
        prune,--merged-into) kind=rev ;;
        prune,--keep) kind=rev ;;
        prune,--max-output) kind=any ;;
        prune,-o | prune,--output) kind=file ;;
        redact,--pattern) kind=any ;;
        redact,--text) kind=any ;;
        redact,-o | redact,--output) kind=file ;;
        fsck,--repair) kind=file ;;
        compact,-m | compact,--message) kind=any ;;
        compact,-F | compact,--file) kind=file ;;
        compact,--summarizer) kind=program ;;
        compact,--instructions) kind=any ;;
        compact,--keep-recent) kind=any ;;
        compact,--first-kept) kind=rev ;;
        edit,-m | edit,--message) kind=any ;;
        edit,-F | edit,--file) kind=file ;;
        append,-m | append,--message) kind=any ;;
        append,--role) kind='words user assistant toolResult bashExecution system custom' ;;
        append,--target) kind=rev ;;
        append,--custom-type) kind=any ;;
        append,--data) kind=any ;;
        append,--field) kind=any ;;
        append,-F | append,--file) kind=file ;;
        append,--parent) kind=rev ;;
        *,-s | *,--session) kind=session ;;
        *,--session-dir) kind=dir ;;
        *,-C) kind=dir ;;
        *,--color) kind='words auto always never' ;;
        *) return 1 ;;
    esac
}

# Sets `kind` to what a command takes as its first argument, its second, and so on.
_pisess_argument_kind() {
    case $1,$2 in
        log,1) kind=rev ;;
        show,1) kind=rev ;;
        show-context,1) kind=rev ;;
        find,1) kind=any ;;
        diff,1) kind=rev ;;
        diff,2) kind=rev ;;
        export,1) kind=rev ;;
        checkout,1) kind=rev ;;
        branch,1) kind=label ;;
        branch,2) kind=rev ;;
        label,1) kind=label ;;
        label,2) kind=rev ;;
        fork,1) kind=session ;;
        name,1) kind=any ;;
        mv,1) kind=session ;;
        rm,*) kind=session ;;
        prune,1) kind=session ;;
        redact,*) kind=rev ;;
        fsck,*) kind=session ;;
        migrate,*) kind=session ;;
        edit,1) kind=rev ;;
        continue,1) kind=session ;;
        config,1) kind=key ;;
        config,2) kind=any ;;
        completions,1) kind='words bash zsh fish' ;;
        help,1) kind='words log show show-context find stats diff reflog export checkout branch label fork undo new name mv rm prune redact fsck migrate compact edit continue config completions help demo append rev-parse revisions format' ;;
        demo,1) kind=dir ;;
        append,1) kind='words message custom_message custom compaction branch_summary model_change thinking_level_change context_edit label session_info usage' ;;
        rev-parse,*) kind=rev ;;
        *) kind=any ;;
    esac
}

# Sets `words` to the words up to the cursor as they were typed: readline takes them apart at : = and @.
_pisess_words() {
    local i word line=${COMP_LINE:0:COMP_POINT}
    for ((i = 0; i <= COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if ((i)) && [[ $line != [[:space:]]* ]]; then
            ((i < COMP_CWORD)) || word=$line
            words[${#words[@]}-1]+=$word
        else
            line=${line#"${line%%[![:space:]]*}"}
            ((i < COMP_CWORD)) || word=$line
            words+=("$word")
        fi
        line=${line#"$word"}
    done
}

# Sets `REPLY` to a word without its quotes.
_pisess_unquote() {
    REPLY=${1//\\/}
    REPLY=${REPLY#[\"\']}
    REPLY=${REPLY%[\"\']}
}

# Keeps what pisess has to know to look in the right place.
_pisess_note() {
    case $1 in
        -s | --session) context+=(-s "$2") ;;
        -C | --session-dir) context+=("$1" "$2") ;;
    esac
}

# Reads the words before the cursor: sets `command`, `position`, `context`, `only_arguments`, and `kind` if the word
# at the cursor is the value of an option.
_pisess_read() {
    local i option
    for ((i = 1; i < last; i++)); do
        _pisess_unquote "${words[i]}"
        if [[ $only_arguments || $REPLY != -?* ]]; then
            if [[ $command ]]; then ((position++)); else command=$REPLY; fi
        elif [[ $REPLY == -- ]]; then
            only_arguments=1
        elif [[ $REPLY == --*=* ]]; then
            _pisess_note "${REPLY%%=*}" "${REPLY#*=}"
        elif [[ $REPLY == -[!-]?* ]] && _pisess_option_kind "$command" "${REPLY:0:2}"; then
            _pisess_note "${REPLY:0:2}" "${REPLY:2}"
            kind=
        elif _pisess_option_kind "$command" "$REPLY" && ((++i < last)); then
            option=$REPLY
            _pisess_unquote "${words[i]}"
            _pisess_note "$option" "$REPLY"
            kind=
        fi
    done
}

# Adds to `values` and `abouts` what `pisess __complete` finds.
_pisess_find() {
    local value about
    while IFS=$'\t' read -r value about; do
        if [[ $value == "$current"* ]]; then
            values+=("$value")
            abouts+=("$about")
        fi
    done < <(command pisess __complete ${context[@]+"${context[@]}"} "$1" "$current" 2>/dev/null)
}

# Adds lines of another program's to `values`.
_pisess_lines() {
    local value
    while IFS= read -r value; do values+=("$value"); done
}

# Answers with `values`: quoted where they have to be, without what readline takes for a word of its own; where there
# are several, with what they are.
_pisess_answer() {
    local i value typed=${words[last]} broken= breaks=${COMP_WORDBREAKS//[!:=@]/}
    if [[ $breaks && $typed != [\"\']* ]]; then
        broken=$ahead$current
        broken=${broken%"${broken##*["$breaks"]}"}
    fi
    for ((i = 0; i < ${#values[@]}; i++)); do
        value=$ahead${values[i]}
        if [[ $typed != [\"\']* && $value == *[!A-Za-z0-9_@%+=:,./^{}~-]* ]]; then
            printf -v value %q "$value"
        fi
        value=${value#"$broken"}
        if [[ ${abouts[i]-} && ${#values[@]} -gt 1 && ${COMP_TYPE-9} != 37 && ${COMP_TYPE-9} != 42 ]]; then
            value+="  (${abouts[i]})"
        fi
        COMPREPLY+=("$value")
    done
}

_pisess() {
    local words=() context=() values=() abouts=()
    local command= kind= options= only_arguments= current= ahead= last position=0 REPLY
    COMPREPLY=()
    _pisess_words
    last=$((${#words[@]} - 1))
    _pisess_read
    _pisess_unquote "${words[last]}"
    current=$REPLY
    if [[ -z $kind && ! $only_arguments && $current == --*=* ]]; then
        ahead=${current%%=*}=
        _pisess_option_kind "$command" "${current%%=*}" || return
        current=${current#*=}
    elif [[ -z $kind && ! $only_arguments && $current == -* ]]; then
        _pisess_options "$command"
        kind="words $options"
    elif [[ -z $kind && -z $command ]]; then
        kind="words $_pisess_commands"
        # Aliases are in the settings, which the shell cannot read.
        [[ " $_pisess_commands" == *" $current"* ]] || kind=alias
    elif [[ -z $kind ]]; then
        _pisess_argument_kind "$command" $((position + 1))
    fi
    case $kind in
        any) ;;
        words\ *) _pisess_lines < <(compgen -W "${kind#words }" -- "$current") ;;
        program) _pisess_lines < <(compgen -c -- "$current") ;;
        dir | file)
            _pisess_lines < <(compgen -"${kind:0:1}" -- "$current")
            compopt -o filenames 2>/dev/null
            COMPREPLY=(${values[@]+"${values[@]}"})
            return
            ;;
        *)
            _pisess_find "$kind"
            if [[ $kind == session && $current == */* ]]; then
                compopt -o filenames 2>/dev/null
                _pisess_lines < <(compgen -f -- "$current")
            fi
            ;;
    esac
    _pisess_answer
}

complete -o nosort -F _pisess pisess 2>/dev/null || complete -F _pisess pisess
