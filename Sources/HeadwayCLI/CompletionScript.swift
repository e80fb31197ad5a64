/// The scripts of `headway completion`, which ask `headway __complete` for what can be typed next.
enum CompletionScript {
  /// The shells that have a script.
  static let shells = ["bash", "zsh", "fish"]

  /// Prints the script for a shell.
  ///
  /// - Throws: `UsageError` for an unknown shell.
  static func print(_ arguments: [String]) throws -> ExitCode {
    let words = try Arguments(arguments, known: []).words
    switch words {
    case ["bash"]: try printOutput(bash)
    case ["zsh"]: try printOutput(zsh)
    case ["fish"]: try printOutput(fish)
    default:
      let given = words.isEmpty ? "" : ", not '\(words.joined(separator: " "))'"
      throw UsageError(message: "completion takes one of bash, zsh and fish\(given)")
    }
    return .success
  }

  /// For bash since 3.2, which macOS has.
  ///
  /// Bash splits words at colons and equals signs and leaves quotes in them, so the tool gets the line and splits it itself.
  /// Candidates come quoted, and with a space where a word is complete.
  private static let bash = #"""
    # Completion of headway for bash.
    _headway() {
      local line kind= prefix=
      COMPREPLY=()
      while IFS= read -r line; do
        if [ -z "$kind" ]; then
          kind=${line%%:*} prefix=${line#*:}
        else
          COMPREPLY[${#COMPREPLY[@]}]=$line
        fi
      done < <("${COMP_WORDS[0]/#\~/$HOME}" __complete bash "$COMP_WORDBREAKS" "${COMP_LINE:0:COMP_POINT}" 2>/dev/null)
      local action
      case $kind in
        files) action=-f ;;
        folders) action=-d ;;
        *) return 0 ;;
      esac
      type compopt >/dev/null 2>&1 && compopt -o filenames +o nospace 2>/dev/null
      while IFS= read -r line; do
        COMPREPLY[${#COMPREPLY[@]}]=$line
      done < <(compgen "$action" -- "$prefix" 2>/dev/null)
      return 0
    }
    complete -o nospace -F _headway headway
    """#

  private static let zsh = #"""
    #compdef headway
    # Completion of headway for zsh.
    _headway() {
      local line kind= prefix=
      local -a whole parts
      while IFS= read -r line; do
        if [[ -z $kind ]]; then
          kind=${line%%:*} prefix=${line#*:}
        elif [[ ${line%%$'\t'*} == */ ]]; then
          line=${${${line%%$'\t'*}//\\/\\\\}//:/\\:}
          parts+=("$line")
        else
          local value=${${${line%%$'\t'*}//\\/\\\\}//:/\\:} words_of=
          [[ $line == *$'\t'* ]] && words_of=${line#*$'\t'}
          if [[ $value == *= ]]; then
            parts+=("$value${words_of:+:$words_of}")
          else
            whole+=("$value${words_of:+:$words_of}")
          fi
        fi
      done < <(${(Q)words[1]/#\~/$HOME} __complete zsh "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)
      case $kind in
        files) [[ $PREFIX == -*=* ]] && compset -P '*='; _files; return ;;
        folders) [[ $PREFIX == -*=* ]] && compset -P '*='; _files -/; return ;;
      esac
      local status_of=1
      (( $#whole )) && _describe -V 'headway' whole && status_of=0
      (( $#parts )) && _describe -V 'folder' parts -S '' && status_of=0
      return status_of
    }
    if [[ $funcstack[1] == _headway ]]; then
      _headway "$@"
    elif (( $+functions[compdef] )); then
      compdef _headway headway
    fi
    """#

  private static let fish = #"""
    # Completion of headway for fish.
    function __headway_complete
      set -l before (commandline -opc)
      set -l typed (commandline -ct)
      # A quote that is still open is not unescaped.
      set -l current (string unescape -- $typed; or string trim -l -c '"\'' -- $typed)
      test (count $current) -eq 1; or set current ''
      set -l program $before[1]
      set -e before[1]
      set -l lines ($program __complete fish $before $current 2>/dev/null)
      set -l first (string split -m 1 : -- $lines[1])
      set -e lines[1]
      set -l option (string match -r '^--[a-z-]+=' -- $current)
      set -l rest (string replace -r '^--[a-z-]+=' '' -- $current)
      switch "$first[1]"
        case files
          __fish_complete_path $rest | string replace -r '^' -- "$option"
        case folders
          __fish_complete_directories $rest | string replace -r '^' -- "$option"
        case '*'
          test (count $lines) -gt 0; and printf '%s\n' $lines
      end
    end
    complete -c headway -e
    complete -c headway -f -k -a '(__headway_complete)'
    """#
}
