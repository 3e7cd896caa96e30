/**
 * Completion scripts for each shell. Every script walks the words to find the current command, then offers its
 * subcommands, its options, or the choices of the option before the cursor.
 */
export interface CompletionNode {
  /** For example `docyard export start`. */
  path: string;
  subcommands: { name: string; about: string }[];
  options: { names: string[]; about: string; takesValue: boolean; choices: readonly string[] }[];
  /** Choices of its arguments. */
  choices: readonly string[];
}

export const completionScripts = { bash, zsh, fish, powershell };

/** Texts inside single quotes are our own names and help lines; quotes in them are removed. */
const plain = (text: string) => text.replaceAll(/['"`\\$\n]/g, ' ');
const namesOf = (node: CompletionNode) => node.options.flatMap(({ names }) => names);
const wordsOf = (node: CompletionNode) => [...node.subcommands.map(({ name }) => name), ...node.choices];
const below = (nodes: readonly CompletionNode[]) => nodes.slice(1).map(({ path }) => path);

function bash(nodes: readonly CompletionNode[]): string {
  const cases = nodes.map((node) => {
    const values = node.options
      .filter(({ takesValue }) => takesValue)
      .map(
        ({ names, choices }) =>
          `        ${names.join('|')}) words='${choices.join(' ')}'; files=${choices.length === 0 ? 'yes' : ''} ;;`,
      );
    return [
      `    '${node.path}')`,
      `      words='${wordsOf(node).join(' ')}'`,
      `      [[ $current == -* ]] && words='${namesOf(node).join(' ')}'`,
      ...(values.length === 0 ? [] : ['      case $previous in', ...values, '      esac']),
      '      ;;',
    ].join('\n');
  });
  return `# Completion of docyard for bash.
_docyard() {
  # Not COMP_WORDS, which is cut at colons and equals signs.
  local line=\${COMP_LINE:0:COMP_POINT} at=docyard words='' files='' index current previous
  local -a typed
  read -ra typed <<<"$line"
  [[ $line == *' ' ]] && typed+=('')
  current=\${typed[\${#typed[@]}-1]}
  previous=\${typed[\${#typed[@]}-2]}
  for ((index = 1; index < \${#typed[@]} - 1; index++)); do
    case "$at \${typed[index]}" in
      ${below(nodes)
        .map((path) => `'${path}'`)
        .join('|')}) at="$at \${typed[index]}" ;;
    esac
  done
  local cut=''
  if [[ $current == --*=* ]]; then
    previous=\${current%%=*}
    current=\${current#*=}
  elif [[ $current == *:* && $COMP_WORDBREAKS == *:* ]]; then
    cut=\${current%:*}:
  fi
  case $at in
${cases.join('\n')}
  esac
  COMPREPLY=()
  [[ -n $files ]] && return
  local word
  for word in $words; do
    [[ $word == "$current"* ]] && COMPREPLY+=("\${word#"$cut"}")
  done
}
complete -o default -F _docyard docyard
`;
}

function zsh(nodes: readonly CompletionNode[]): string {
  const entry = (name: string, about: string) => `'${name.replaceAll(':', '\\:')}:${plain(about)}'`;
  const cases = nodes.map((node) => {
    const values = node.options
      .filter(({ takesValue }) => takesValue)
      .map(({ names, choices }) =>
        choices.length === 0
          ? `        ${names.join('|')}) _files; return ;;`
          : `        ${names.join('|')}) compadd -- ${choices.map((choice) => `'${choice}'`).join(' ')}; return ;;`,
      );
    const commands = [
      ...node.subcommands.map(({ name, about }) => entry(name, about)),
      ...node.choices.map((choice) => entry(choice, '')),
    ];
    const options = node.options.flatMap(({ names, about }) => names.map((name) => entry(name, about)));
    return [
      `    '${node.path}')`,
      ...(values.length === 0 ? [] : ['      case $previous in', ...values, '      esac']),
      `      commands=(${commands.join(' ')})`,
      `      options=(${options.join(' ')})`,
      '      ;;',
    ].join('\n');
  });
  return `#compdef docyard
# Completion of docyard for zsh.
_docyard() {
  local at=docyard word previous=$words[CURRENT-1]
  local -a commands options
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$at $word" in
      ${below(nodes)
        .map((path) => `'${path}'`)
        .join('|')}) at="$at $word" ;;
    esac
  done
  case $at in
${cases.join('\n')}
  esac
  if [[ $words[CURRENT] == -* ]]; then
    _describe -o 'option' options
  elif (( \${#commands} > 0 )); then
    _describe 'command' commands
    _files
  else
    _files
  fi
}
if [[ $funcstack[1] == _docyard ]]; then _docyard "$@"; else compdef _docyard docyard; fi
`;
}

function fish(nodes: readonly CompletionNode[]): string {
  const lines = nodes.flatMap((node) => {
    const here = `complete -c docyard -n '__docyard_at "${node.path}"'`;
    return [
      ...node.subcommands.map(({ name, about }) => `${here} -f -a '${name}' -d '${plain(about)}'`),
      ...node.choices.map((choice) => `${here} -f -a '${choice}'`),
      ...node.options.map(({ names, about, takesValue, choices }) => {
        const flags = names.map((name) =>
          name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`,
        );
        const value = takesValue ? (choices.length === 0 ? ' -r' : ` -x -a '${choices.join(' ')}'`) : '';
        return `${here} ${flags.join(' ')}${value} -d '${plain(about)}'`;
      }),
    ];
  });
  return `# Completion of docyard for fish.
set -g __docyard_paths ${below(nodes)
    .map((path) => `'${path}'`)
    .join(' ')}
function __docyard_at
    set -l at docyard
    for word in (commandline -opc)[2..-1]
        if contains -- "$at $word" $__docyard_paths
            set at "$at $word"
        end
    end
    test "$at" = "$argv[1]"
end
${lines.join('\n')}
`;
}

function powershell(nodes: readonly CompletionNode[]): string {
  const list = (words: readonly string[]) => `@(${words.map((word) => `'${word}'`).join(', ')})`;
  const entries = nodes.map((node) => {
    const values = node.options.flatMap(({ names, takesValue, choices }) =>
      takesValue ? names.map((name) => `'${name}' = ${list(choices)}`) : [],
    );
    return `    '${node.path}' = @{ Words = ${list(wordsOf(node))}; Options = ${list(namesOf(node))}; Values = [hashtable]::new(@{ ${values.join('; ')} }, [StringComparer]::Ordinal) }`;
  });
  return `# Completion of docyard for PowerShell.
Register-ArgumentCompleter -Native -CommandName docyard -ScriptBlock {
  param($current, $line, $cursor)
  $commands = @{
${entries.join('\n')}
  }
  $typed = @($line.CommandElements | Where-Object { $_.Extent.EndOffset -lt $cursor } | ForEach-Object { $_.ToString() })
  $at = 'docyard'
  foreach ($word in ($typed | Select-Object -Skip 1)) {
    if ($commands.ContainsKey("$at $word")) { $at = "$at $word" }
  }
  $node = $commands[$at]
  $previous = if ($typed.Count -gt 0) { $typed[-1] } else { '' }
  $offered = if ($node.Values.ContainsKey($previous)) { $node.Values[$previous] }
    elseif ($current -like '-*') { $node.Options } else { $node.Words }
  $offered | Where-Object { $_ -like "$current*" } |
    ForEach-Object { [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_) }
}
`;
}
