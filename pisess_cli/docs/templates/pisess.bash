# bash completion for pisess.
# Made by python -m pisess_cli.docs from the commands' definitions; do not edit.

_pisess_commands='@COMMANDS@'

# Sets `options` to the options of a command; none: those of pisess itself.
_pisess_options() {
    case $1 in
@OPTIONS@
    esac
}

# Sets `kind` to what an option takes; fails where it takes nothing.
_pisess_option_kind() {
    case $1,$2 in
@OPTION_KINDS@
        *) return 1 ;;
    esac
}

# Sets `kind` to what a command takes as its first argument, its second, and so on.
_pisess_argument_kind() {
    case $1,$2 in
@ARGUMENT_KINDS@
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
