# fish completion for pisess.
# Made by python -m pisess_cli.docs from the commands' definitions; do not edit.

# The options of a command that take a value; of pisess itself without one.
function __pisess_valued
    switch "$argv[1]"
        case ''
            string split ' ' -- '-s --session --session-dir -C --color'
        case 'log'
            string split ' ' -- '-n --max-count --type --role --grep --since --until --format --date'
        case 'show'
            string split ' ' -- '--date'
        case 'find'
            string split ' ' -- '--cwd --name --id --since --until --role --type --model --tool --file --label --branch -n --max-count --sort --date'
        case 'stats'
            string split ' ' -- '--by --branch --since --until'
        case 'diff'
            string split ' ' -- '--date'
        case 'reflog'
            string split ' ' -- '-n --max-count --date'
        case 'export'
            string split ' ' -- '--format -o --output'
        case 'checkout'
            string split ' ' -- '-m --message -F --file --summarizer --instructions'
        case 'branch'
            string split ' ' -- '--at --contains --date'
        case 'label'
            string split ' ' -- '-d --delete --date'
        case 'fork'
            string split ' ' -- '--to --at --id --name'
        case 'new'
            string split ' ' -- '-m --message -F --file --to --cwd --id --name'
        case 'mv'
            string split ' ' -- '--to'
        case 'prune'
            string split ' ' -- '--branch --older-than --merged-into --keep --max-output -o --output'
        case 'redact'
            string split ' ' -- '--pattern --text -o --output'
        case 'fsck'
            string split ' ' -- '--repair'
        case 'compact'
            string split ' ' -- '-m --message -F --file --summarizer --instructions --keep-recent --first-kept'
        case 'edit'
            string split ' ' -- '-m --message -F --file'
        case 'append'
            string split ' ' -- '-m --message --role --target --custom-type --data --field -F --file --parent'
    end
end

# Whether the words before the cursor name this command ('' for none yet), and, with a number, whether its first
# argument, its second and so on comes next.
function __pisess_at
    set -l valued (__pisess_valued '')
    set -l command ''
    set -l number 1
    set -l skip 0
    set -l words (commandline -opc)
    for word in $words[2..]
        if test $skip -eq 1
            set skip 0
        else if contains -- $word $valued
            set skip 1
        else if string match -q -- '-?*' $word
            continue
        else if test -z "$command"
            set command $word
            set -a valued (__pisess_valued $word)
        else
            set number (math $number + 1)
        end
    end
    test "$command" = "$argv[1]"; and test (count $argv) -eq 1 -o "$number" = "$argv[2]"
end

# What was typed of the value at the cursor.
function __pisess_typed
    set -l typed (string replace -r -- '^--[a-z-]+=' '' (commandline -ct))
    string unescape -- "$typed"; or echo -- "$typed"
end

# What `pisess __complete` finds of a kind, in its order. No value begins with a dash.
function __pisess_values
    string match -q -- '-*' (__pisess_typed); and return
    set -l context
    set -l expected ''
    for word in (commandline -opc)
        if test -n "$expected"
            set -a context $expected $word
            set expected ''
            continue
        end
        switch $word
            case --
                break
            case -s --session
                set expected -s
            case -C --session-dir
                set expected $word
            case '--session=*'
                set -a context -s (string replace -- --session= '' $word)
            case '--session-dir=*'
                set -a context --session-dir (string replace -- --session-dir= '' $word)
        end
    end
    command pisess __complete $context $argv[1] (__pisess_typed) 2>/dev/null
end

function __pisess_sessions
    __pisess_values session
    string match -q -- '*/*' (commandline -ct); and __fish_complete_suffix .jsonl
end

# Aliases are in the settings, which the shell cannot read: asked for where no command fits.
function __pisess_aliases
    string match -q -- (__pisess_typed)'*' log show show-context find stats diff reflog export checkout branch label fork undo new name mv rm prune redact fsck migrate compact edit continue config completions help demo append rev-parse; or __pisess_values alias
end

complete -c pisess -f
complete -c pisess -n '__pisess_at ""' -a '(__pisess_aliases)'
complete -c pisess -n '__pisess_at ""' -l version -d 'Print the version.'
complete -c pisess -s s -l session -x -k -a '(__pisess_sessions)' -d 'The session: a path, an id or the start of one, a name, or @1, @2 (most recent first).'
complete -c pisess -l session-dir -x -a '(__fish_complete_directories)' -d 'Look for sessions, and make new ones, in this directory.'
complete -c pisess -s C -x -a '(__fish_complete_directories)' -d 'Act as if started in this directory.'
complete -c pisess -l color -x -a 'auto always never' -d 'Use colours: auto, always or never.'
complete -c pisess -l no-pager -d 'Do not start a pager.'
complete -c pisess -s q -l quiet -d 'Say nothing but errors and results.'
complete -c pisess -s h -l help -d 'Show this message and exit.'

complete -c pisess -n '__pisess_at ""' -a log -d 'Show the entries of the current branch'
complete -c pisess -n '__pisess_at log' -l graph -d 'Draw the branches beside the entries.'
complete -c pisess -n '__pisess_at log' -l all -d 'Show the entries of all branches.'
complete -c pisess -n '__pisess_at log' -l oneline -d 'One line an entry.'
complete -c pisess -n '__pisess_at log' -l reverse -d 'Show the oldest first.'
complete -c pisess -n '__pisess_at log' -s n -l max-count -x -d 'Show N entries at most.'
complete -c pisess -n '__pisess_at log' -l type -x -a 'message custom_message custom compaction branch_summary model_change thinking_level_change context_edit label session_info usage' -d 'Only entries of this type; can be given several times.'
complete -c pisess -n '__pisess_at log' -l role -x -a 'user assistant toolResult bashExecution system custom' -d 'Only messages of this role; can be given several times.'
complete -c pisess -n '__pisess_at log' -l grep -x -d 'Only entries whose text matches.'
complete -c pisess -n '__pisess_at log' -s i -l ignore-case -d '--grep pays no attention to case.'
complete -c pisess -n '__pisess_at log' -l since -x -a 'today yesterday' -d 'Not older than this: 2026-05-01, \'yesterday\', \'3 days ago\'.'
complete -c pisess -n '__pisess_at log' -l until -x -a 'today yesterday' -d 'Not newer than this; a day is meant whole.'
complete -c pisess -n '__pisess_at log' -l full -d 'Show bookkeeping entries too (labels, settings, system messages).'
complete -c pisess -n '__pisess_at log' -s p -l patch -d 'Show the whole content of each entry.'
complete -c pisess -n '__pisess_at log' -l stat -d 'Show tokens, cost and files of each entry.'
complete -c pisess -n '__pisess_at log' -l format -x -d 'Print each entry by Git-style placeholders: \'%h %ar %s\'.'
complete -c pisess -n '__pisess_at log' -l date -x -a 'relative iso unix format:' -d 'How dates are shown: relative, iso, unix, or format:STRFTIME.'
complete -c pisess -n '__pisess_at log' -l json -d 'Print JSON.'
complete -c pisess -n '__pisess_at log' -s z -d 'End records with NUL instead of a newline.'
complete -c pisess -n '__pisess_at log' -l follow -d 'Stay, and show entries as they are written.'
complete -c pisess -n '__pisess_at log 1' -k -a '(__pisess_values rev)'

complete -c pisess -n '__pisess_at ""' -a show -d 'Show one entry in full'
complete -c pisess -n '__pisess_at show' -l raw -d 'Print the entry\'s text alone.'
complete -c pisess -n '__pisess_at show' -l date -x -a 'relative iso unix format:' -d 'How dates are shown: relative, iso, unix, or format:STRFTIME.'
complete -c pisess -n '__pisess_at show' -l json -d 'Print JSON.'
complete -c pisess -n '__pisess_at show 1' -k -a '(__pisess_values rev)'

complete -c pisess -n '__pisess_at ""' -a show-context -d 'Show what the model would be sent'
complete -c pisess -n '__pisess_at show-context' -l llm -d 'Print the messages as they go to a provider, one JSON object a line.'
complete -c pisess -n '__pisess_at show-context' -l tokens -d 'Print how many tokens the context has.'
complete -c pisess -n '__pisess_at show-context' -l explain -d 'Say for each entry of the path what becomes of it, and why.'
complete -c pisess -n '__pisess_at show-context' -l system -d 'Show system messages too.'
complete -c pisess -n '__pisess_at show-context' -l json -d 'Print JSON.'
complete -c pisess -n '__pisess_at show-context 1' -k -a '(__pisess_values rev)'

complete -c pisess -n '__pisess_at ""' -a find -d 'List sessions, or search all of them'
complete -c pisess -n '__pisess_at find' -l here -d 'Only sessions of this directory.'
complete -c pisess -n '__pisess_at find' -l cwd -x -a '(__fish_complete_directories)' -d 'Only sessions of that directory.'
complete -c pisess -n '__pisess_at find' -l name -x -d 'Only sessions whose name has this in it.'
complete -c pisess -n '__pisess_at find' -l id -x -d 'Only sessions whose id begins so.'
complete -c pisess -n '__pisess_at find' -l since -x -a 'today yesterday' -d 'Not older than this: 2026-05-01, \'yesterday\', \'3 days ago\'.'
complete -c pisess -n '__pisess_at find' -l until -x -a 'today yesterday' -d 'Not newer than this; a day is meant whole.'
complete -c pisess -n '__pisess_at find' -l role -x -a 'user assistant toolResult bashExecution system custom' -d 'Only messages of this role; can be given several times.'
complete -c pisess -n '__pisess_at find' -l type -x -a 'message custom_message custom compaction branch_summary model_change thinking_level_change context_edit label session_info usage' -d 'Only entries of this type; can be given several times.'
complete -c pisess -n '__pisess_at find' -l model -x -k -a '(__pisess_values model)' -d 'Only entries of a model: a part of provider/model.'
complete -c pisess -n '__pisess_at find' -l tool -x -k -a '(__pisess_values tool)' -d 'Only calls of a tool, and their results.'
complete -c pisess -n '__pisess_at find' -l file -r -F -d 'Only sessions that read or changed this file.'
complete -c pisess -n '__pisess_at find' -l label -x -k -a '(__pisess_values label)' -d 'Only sessions with an entry of this label.'
complete -c pisess -n '__pisess_at find' -l branch -x -a 'any current abandoned' -d 'Tell which branch a hit is on: any, or only current or abandoned ones.'
complete -c pisess -n '__pisess_at find' -s i -l ignore-case -d 'Pay no attention to case.'
complete -c pisess -n '__pisess_at find' -s F -l fixed -d 'TEXT is taken as it is; this is the default.'
complete -c pisess -n '__pisess_at find' -s E -l regex -d 'TEXT is a regular expression, as Python has them.'
complete -c pisess -n '__pisess_at find' -l secrets -d 'Search for likely secrets; they are not shown whole.'
complete -c pisess -n '__pisess_at find' -s l -l files -d 'Print the files of the sessions alone.'
complete -c pisess -n '__pisess_at find' -s c -l count -d 'Print how many lines match in each session.'
complete -c pisess -n '__pisess_at find' -s n -l max-count -x -d 'Print N results at most.'
complete -c pisess -n '__pisess_at find' -l sort -x -a 'modified created name messages size cwd' -d 'Order of the list of sessions: modified, created, name, messages, size, cwd.'
complete -c pisess -n '__pisess_at find' -l date -x -a 'relative iso unix format:' -d 'How dates are shown: relative, iso, unix, or format:STRFTIME.'
complete -c pisess -n '__pisess_at find' -l json -d 'Print JSON.'

complete -c pisess -n '__pisess_at ""' -a stats -d 'Show tokens and cost by model, tool, day and the like'
complete -c pisess -n '__pisess_at stats' -l by -x -a 'model provider role tool day project session' -d 'A row for each model, provider, role, tool, day, project or session; model if not given.'
complete -c pisess -n '__pisess_at stats' -l all -d 'Count all sessions, of all projects.'
complete -c pisess -n '__pisess_at stats' -l branch -x -k -a '(__pisess_values rev)' -d 'Count one branch: the current one, or the one that ends at REV.'
complete -c pisess -n '__pisess_at stats' -l since -x -a 'today yesterday' -d 'Not older than this: 2026-05-01, \'yesterday\', \'3 days ago\'.'
complete -c pisess -n '__pisess_at stats' -l until -x -a 'today yesterday' -d 'Not newer than this; a day is meant whole.'
complete -c pisess -n '__pisess_at stats' -l utc -d 'Days are those of UTC, not of the local zone.'
complete -c pisess -n '__pisess_at stats' -l json -d 'Print JSON.'

complete -c pisess -n '__pisess_at ""' -a diff -d 'Compare two points of a session, or of two sessions'
complete -c pisess -n '__pisess_at diff' -l stat -d 'Show the table, also beside -p or --context.'
complete -c pisess -n '__pisess_at diff' -s p -l patch -d 'Show the messages of each side.'
complete -c pisess -n '__pisess_at diff' -l context -d 'Compare line by line what the model would see at each point.'
complete -c pisess -n '__pisess_at diff' -l date -x -a 'relative iso unix format:' -d 'How dates are shown: relative, iso, unix, or format:STRFTIME.'
complete -c pisess -n '__pisess_at diff' -l json -d 'Print JSON.'
complete -c pisess -n '__pisess_at diff 1' -k -a '(__pisess_values rev)'
complete -c pisess -n '__pisess_at diff 2' -k -a '(__pisess_values rev)'

complete -c pisess -n '__pisess_at ""' -a reflog -d 'Show where the leaf has been'
complete -c pisess -n '__pisess_at reflog' -s n -l max-count -x -d 'Show N moves at most.'
complete -c pisess -n '__pisess_at reflog' -l date -x -a 'relative iso unix format:' -d 'How dates are shown: relative, iso, unix, or format:STRFTIME.'
complete -c pisess -n '__pisess_at reflog' -l json -d 'Print JSON.'

complete -c pisess -n '__pisess_at ""' -a export -d 'Write a branch as a page, a session file or tables'
complete -c pisess -n '__pisess_at export' -l format -x -a 'markdown html jsonl sqlite parquet' -d 'markdown, html, jsonl, sqlite or parquet; without it, what FILE\'s name ends in.'
complete -c pisess -n '__pisess_at export' -s o -l output -r -F -d 'Write to this file instead of stdout.'
complete -c pisess -n '__pisess_at export' -l all -d 'All branches, the one that ends at REV first.'
complete -c pisess -n '__pisess_at export' -l all-sessions -d 'All sessions, as tables: for sqlite and parquet.'
complete -c pisess -n '__pisess_at export' -l full -d 'Show bookkeeping entries too (labels, settings, system messages).'
complete -c pisess -n '__pisess_at export' -s f -l force -d 'Overwrite FILE.'
complete -c pisess -n '__pisess_at export 1' -k -a '(__pisess_values rev)'

complete -c pisess -n '__pisess_at ""' -a checkout -d 'Move the leaf to an entry'
complete -c pisess -n '__pisess_at checkout' -l root -d 'Go before the first entry.'
complete -c pisess -n '__pisess_at checkout' -l before -d 'Go to the entry\'s parent, to say a message anew.'
complete -c pisess -n '__pisess_at checkout' -l tip -d 'Go to the newest tip below the entry.'
complete -c pisess -n '__pisess_at checkout' -s m -l message -x -d 'The summary.'
complete -c pisess -n '__pisess_at checkout' -s F -l file -r -F -d 'Read the summary from a file, - for stdin.'
complete -c pisess -n '__pisess_at checkout' -l summarizer -x -a '(__fish_complete_command)' -d 'A shell command: a prompt on its stdin, the summary on its stdout.'
complete -c pisess -n '__pisess_at checkout' -l edit -d 'Write the summary in the editor.'
complete -c pisess -n '__pisess_at checkout' -l instructions -x -d 'What the summarizer should pay attention to.'
complete -c pisess -n '__pisess_at checkout' -s f -l force -d 'Do it where it would be refused.'
complete -c pisess -n '__pisess_at checkout' -l dry-run -d 'Say what would be done, and do nothing.'
complete -c pisess -n '__pisess_at checkout' -l json -d 'Print JSON.'
complete -c pisess -n '__pisess_at checkout 1' -k -a '(__pisess_values rev)'

complete -c pisess -n '__pisess_at ""' -a branch -d 'List the branches, or start one'
complete -c pisess -n '__pisess_at branch' -l at -x -k -a '(__pisess_values rev)' -d 'Start a branch there: the same as checkout REV.'
complete -c pisess -n '__pisess_at branch' -l contains -x -k -a '(__pisess_values rev)' -d 'Only branches that have this entry.'
complete -c pisess -n '__pisess_at branch' -s v -l verbose -d 'Show date, length and where each forked off, with its last words.'
complete -c pisess -n '__pisess_at branch' -l tree -d 'Draw the whole session\'s shape, runs of entries as counts, oldest first.'
complete -c pisess -n '__pisess_at branch' -s f -l force -d 'Do it where it would be refused.'
complete -c pisess -n '__pisess_at branch' -l date -x -a 'relative iso unix format:' -d 'How dates are shown: relative, iso, unix, or format:STRFTIME.'
complete -c pisess -n '__pisess_at branch' -l json -d 'Print JSON.'
complete -c pisess -n '__pisess_at branch 1' -k -a '(__pisess_values label)'
complete -c pisess -n '__pisess_at branch 2' -k -a '(__pisess_values rev)'

complete -c pisess -n '__pisess_at ""' -a label -d 'Bookmark an entry, or list the labels'
complete -c pisess -n '__pisess_at label' -s d -l delete -x -k -a '(__pisess_values rev)' -d 'Take a label away, named by itself or by its entry.'
complete -c pisess -n '__pisess_at label' -s f -l force -d 'Move a label that another entry has, replace the one that is there.'
complete -c pisess -n '__pisess_at label' -l date -x -a 'relative iso unix format:' -d 'How dates are shown: relative, iso, unix, or format:STRFTIME.'
complete -c pisess -n '__pisess_at label' -l json -d 'Print JSON.'
complete -c pisess -n '__pisess_at label 1' -k -a '(__pisess_values label)'
complete -c pisess -n '__pisess_at label 2' -k -a '(__pisess_values rev)'

complete -c pisess -n '__pisess_at ""' -a fork -d 'Copy a session, or the path to an entry, into a new file'
complete -c pisess -n '__pisess_at fork' -l to -x -a '(__fish_complete_directories)' -d 'The project of the new session: its working directory.'
complete -c pisess -n '__pisess_at fork' -l at -x -k -a '(__pisess_values rev)' -d 'Only the path to this entry, with the labels on it.'
complete -c pisess -n '__pisess_at fork' -l id -x -d 'The id of the new session.'
complete -c pisess -n '__pisess_at fork' -l name -x -d 'The name of the new session.'
complete -c pisess -n '__pisess_at fork' -l dry-run -d 'Say what would be done, and do nothing.'
complete -c pisess -n '__pisess_at fork' -l json -d 'Print JSON.'
complete -c pisess -n '__pisess_at fork 1' -k -a '(__pisess_sessions)'

complete -c pisess -n '__pisess_at ""' -a undo -d 'Take the last write back'
complete -c pisess -n '__pisess_at undo' -s f -l force -d 'Do it where it would be refused.'
complete -c pisess -n '__pisess_at undo' -l dry-run -d 'Say what would be done, and do nothing.'
complete -c pisess -n '__pisess_at undo' -l json -d 'Print JSON.'

complete -c pisess -n '__pisess_at ""' -a new -d 'Begin a session with a message'
complete -c pisess -n '__pisess_at new' -s m -l message -x -d 'The message.'
complete -c pisess -n '__pisess_at new' -s F -l file -r -F -d 'Read the message from a file, - for stdin.'
complete -c pisess -n '__pisess_at new' -l to -l cwd -x -a '(__fish_complete_directories)' -d 'The project: the session\'s working directory.'
complete -c pisess -n '__pisess_at new' -l id -x -d 'The id of the session.'
complete -c pisess -n '__pisess_at new' -l name -x -d 'The name of the session.'
complete -c pisess -n '__pisess_at new' -l json -d 'Print JSON.'

complete -c pisess -n '__pisess_at ""' -a name -d 'Show or set the session\'s name'
complete -c pisess -n '__pisess_at name' -s d -l delete -d 'Take the name away.'
complete -c pisess -n '__pisess_at name' -l json -d 'Print JSON.'

complete -c pisess -n '__pisess_at ""' -a mv -d 'Tell a session where its project is now'
complete -c pisess -n '__pisess_at mv' -l to -x -a '(__fish_complete_directories)' -d 'Where the project is now.'
complete -c pisess -n '__pisess_at mv' -l dry-run -d 'Say what would be done, and do nothing.'
complete -c pisess -n '__pisess_at mv 1' -k -a '(__pisess_sessions)'

complete -c pisess -n '__pisess_at ""' -a rm -d 'Move sessions to the trash'
complete -c pisess -n '__pisess_at rm' -s f -l force -d 'Do not ask.'
complete -c pisess -n '__pisess_at rm' -k -a '(__pisess_sessions)'

complete -c pisess -n '__pisess_at ""' -a prune -d 'Copy a session without some branches, images or long outputs'
complete -c pisess -n '__pisess_at prune' -l branch -x -k -a '(__pisess_values rev)' -d 'Leave out the branches that hold this entry.'
complete -c pisess -n '__pisess_at prune' -l older-than -x -a 'today yesterday' -d 'Leave out branches that ended before this: 30d, \'2 weeks\', 2026-05-01.'
complete -c pisess -n '__pisess_at prune' -l merged-into -x -k -a '(__pisess_values rev)' -d 'Leave out branches that a branch summary on the path to REV is of.'
complete -c pisess -n '__pisess_at prune' -l keep -x -k -a '(__pisess_values rev)' -d 'Keep the branches that hold this entry; alone, leave out all others.'
complete -c pisess -n '__pisess_at prune' -l strip-images -d 'Put a note in place of each image.'
complete -c pisess -n '__pisess_at prune' -l max-output -x -d 'Cut what tools and commands put out to N bytes each (2000, 100k, 1M).'
complete -c pisess -n '__pisess_at prune' -s o -l output -r -F -d 'Write the copy into this new file.'
complete -c pisess -n '__pisess_at prune' -l dry-run -d 'Say what would be done, and do nothing.'
complete -c pisess -n '__pisess_at prune' -l json -d 'Print JSON.'
complete -c pisess -n '__pisess_at prune 1' -k -a '(__pisess_sessions)'

complete -c pisess -n '__pisess_at ""' -a redact -d 'Copy a session without some of what was said in it'
complete -c pisess -n '__pisess_at redact' -l pattern -x -d 'Take out what this matches, everywhere.'
complete -c pisess -n '__pisess_at redact' -l text -x -d 'Take out this text, everywhere.'
complete -c pisess -n '__pisess_at redact' -s i -l ignore-case -d 'Pay no attention to case.'
complete -c pisess -n '__pisess_at redact' -l secrets -d 'Take out likely secrets: tokens, private keys, passwords.'
complete -c pisess -n '__pisess_at redact' -s o -l output -r -F -d 'Write the copy into this new file.'
complete -c pisess -n '__pisess_at redact' -l dry-run -d 'Say what would be done, and do nothing.'
complete -c pisess -n '__pisess_at redact' -l json -d 'Print JSON.'
complete -c pisess -n '__pisess_at redact' -k -a '(__pisess_values rev)'

complete -c pisess -n '__pisess_at ""' -a fsck -d 'Check sessions for faults, or write a repaired copy'
complete -c pisess -n '__pisess_at fsck' -l all -d 'Check every session of the session directory.'
complete -c pisess -n '__pisess_at fsck' -l repair -r -F -d 'Write a repaired copy into this new file, and print its name.'
complete -c pisess -n '__pisess_at fsck' -l dry-run -d 'Say what would be done, and do nothing.'
complete -c pisess -n '__pisess_at fsck' -l json -d 'Print JSON.'
complete -c pisess -n '__pisess_at fsck' -k -a '(__pisess_sessions)'

complete -c pisess -n '__pisess_at ""' -a migrate -d 'Write sessions of old versions in the current one'
complete -c pisess -n '__pisess_at migrate' -l backup -l no-backup -d 'Keep the old file beside it, as FILE.v1.bak (the default).'
complete -c pisess -n '__pisess_at migrate' -l dry-run -d 'Say what would be done, and do nothing.'
complete -c pisess -n '__pisess_at migrate' -k -a '(__pisess_sessions)'

complete -c pisess -n '__pisess_at ""' -a compact -d 'Replace the older part of the context by a summary'
complete -c pisess -n '__pisess_at compact' -s m -l message -x -d 'The summary.'
complete -c pisess -n '__pisess_at compact' -s F -l file -r -F -d 'Read the summary from a file, - for stdin.'
complete -c pisess -n '__pisess_at compact' -l summarizer -x -a '(__fish_complete_command)' -d 'A shell command: a prompt on its stdin, the summary on its stdout.'
complete -c pisess -n '__pisess_at compact' -l edit -d 'Write the summary in the editor.'
complete -c pisess -n '__pisess_at compact' -l instructions -x -d 'What the summarizer should pay attention to.'
complete -c pisess -n '__pisess_at compact' -l keep-recent -x -d 'Keep about as many tokens of the newest messages (20000).'
complete -c pisess -n '__pisess_at compact' -l first-kept -x -k -a '(__pisess_values rev)' -d 'Keep what begins at this entry.'
complete -c pisess -n '__pisess_at compact' -l keep-none -d 'Keep nothing: summarise all.'
complete -c pisess -n '__pisess_at compact' -s f -l force -d 'Do it where it would be refused.'
complete -c pisess -n '__pisess_at compact' -l dry-run -d 'Say what would be done, and do nothing.'
complete -c pisess -n '__pisess_at compact' -l json -d 'Print JSON.'

complete -c pisess -n '__pisess_at ""' -a edit -d 'Leave an entry out of the context, or reword it'
complete -c pisess -n '__pisess_at edit' -l omit -d 'Leave the entry out.'
complete -c pisess -n '__pisess_at edit' -s m -l message -x -d 'Put this text in the place of the entry\'s text.'
complete -c pisess -n '__pisess_at edit' -s F -l file -r -F -d 'Take the text from a file, - for stdin.'
complete -c pisess -n '__pisess_at edit' -l editor -d 'Change the text in the editor.'
complete -c pisess -n '__pisess_at edit' -l restore -d 'Take an edit back: the model sees the entry as it was said.'
complete -c pisess -n '__pisess_at edit' -s f -l force -d 'Do it where it would be refused.'
complete -c pisess -n '__pisess_at edit' -l dry-run -d 'Say what would be done, and do nothing.'
complete -c pisess -n '__pisess_at edit' -l json -d 'Print JSON.'
complete -c pisess -n '__pisess_at edit 1' -k -a '(__pisess_values rev)'

complete -c pisess -n '__pisess_at ""' -a continue -d 'Start Pi on a session'
complete -c pisess -n '__pisess_at continue' -l print -d 'Print the session\'s path, and start nothing.'
complete -c pisess -n '__pisess_at continue 1' -k -a '(__pisess_sessions)'

complete -c pisess -n '__pisess_at ""' -a config -d 'Show and change settings'
complete -c pisess -n '__pisess_at config' -l unset -d 'Take KEY out of the file.'
complete -c pisess -n '__pisess_at config' -l list -d 'Show all settings; so does pisess config alone.'
complete -c pisess -n '__pisess_at config' -l show-origin -d 'Show where each value comes from.'
complete -c pisess -n '__pisess_at config' -l json -d 'Print JSON.'
complete -c pisess -n '__pisess_at config 1' -k -a '(__pisess_values key)'

complete -c pisess -n '__pisess_at ""' -a completions -d 'Print the completion script for a shell'
complete -c pisess -n '__pisess_at completions 1' -a 'bash zsh fish'

complete -c pisess -n '__pisess_at ""' -a help -d 'Show the manual'
complete -c pisess -n '__pisess_at help 1' -a 'log show show-context find stats diff reflog export checkout branch label fork undo new name mv rm prune redact fsck migrate compact edit continue config completions help demo append rev-parse revisions format'

complete -c pisess -n '__pisess_at ""' -a demo -d 'Make sample sessions to try everything on'
complete -c pisess -n '__pisess_at demo 1' -a '(__fish_complete_directories)'

complete -c pisess -n '__pisess_at ""' -a append -d 'Append an entry of any type'
complete -c pisess -n '__pisess_at append' -s m -l message -x -d 'The text: of a message, a summary, a label, a name, a note.'
complete -c pisess -n '__pisess_at append' -l role -x -a 'user assistant toolResult bashExecution system custom' -d 'Whose message the text is: user, the default, or system.'
complete -c pisess -n '__pisess_at append' -l target -x -k -a '(__pisess_values rev)' -d 'The entry that a label, an edit, a compaction or a summary names.'
complete -c pisess -n '__pisess_at append' -l custom-type -x -d 'The field customType.'
complete -c pisess -n '__pisess_at append' -l data -x -d 'The field data.'
complete -c pisess -n '__pisess_at append' -l field -x -d 'A field: KEY=TEXT, or KEY:=JSON; several times.'
complete -c pisess -n '__pisess_at append' -s F -l file -r -F -d 'Read the fields from a file with a JSON object, - for stdin.'
complete -c pisess -n '__pisess_at append' -l parent -x -k -a '(__pisess_values rev)' -d 'Write it below this entry, or below ROOT, instead of the leaf.'
complete -c pisess -n '__pisess_at append' -s f -l force -d 'Do it where it would be refused.'
complete -c pisess -n '__pisess_at append' -l json -d 'Print JSON.'
complete -c pisess -n '__pisess_at append 1' -a 'message custom_message custom compaction branch_summary model_change thinking_level_change context_edit label session_info usage'

complete -c pisess -n '__pisess_at ""' -a rev-parse -d 'Print the ids of the entries that revisions name'
complete -c pisess -n '__pisess_at rev-parse' -l short -d 'Print as much of each id as is needed to name it, 8 characters at least.'
complete -c pisess -n '__pisess_at rev-parse' -l symbolic -d 'Print names: a label, HEAD~N, or else the id.'
complete -c pisess -n '__pisess_at rev-parse' -l all -d 'Print the tips of all branches and all labelled entries.'
complete -c pisess -n '__pisess_at rev-parse' -l verify -d 'Take one REV; if it names nothing, exit with 1 and say nothing.'
complete -c pisess -n '__pisess_at rev-parse' -l json -d 'Print JSON.'
complete -c pisess -n '__pisess_at rev-parse' -k -a '(__pisess_values rev)'
