# fish completion for pisess.
# Made by python -m pisess_cli.docs from the commands' definitions; do not edit.

# The options of a command that take a value; of pisess itself without one.
function __pisess_valued
    switch "$argv[1]"
@VALUED@
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
    string match -q -- (__pisess_typed)'*' @COMMANDS@; or __pisess_values alias
end

complete -c pisess -f
complete -c pisess -n '__pisess_at ""' -a '(__pisess_aliases)'
@COMPLETIONS@
