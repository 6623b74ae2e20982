/** `crossramp completion`: prints a completion script for a shell, generated from the commands. */
import { Argument, Command } from 'commander';

/** A word that can come next, with its description. */
interface Word {
  readonly text: string;
  readonly doc: string;
}

/** Words that can follow a command, such as `key create`. */
interface CommandPath {
  readonly path: string;
  readonly commands: readonly Word[];
  readonly options: readonly Word[];
}

const SHELLS = { bash, zsh, fish };
const NAME = 'crossramp';

/** @param program - returns the program whose commands are completed. */
export function completionCommand(program: () => Promise<Command>): Command {
  return new Command('completion')
    .description('Prints a script that completes commands and options with the Tab key.')
    .addArgument(new Argument('<shell>', 'which shell').choices(Object.keys(SHELLS)))
    .action(async (shell: keyof typeof SHELLS) => {
      process.stdout.write(SHELLS[shell](commandPaths(await program())));
    });
}

function commandPaths(command: Command, path: readonly string[] = []): CommandPath[] {
  const commands = command.commands as readonly Command[];
  const help = command.createHelp();
  const here = {
    path: path.join(' '),
    commands: commands.map((each) => ({ text: each.name(), doc: each.description() })),
    options: help
      .visibleOptions(command)
      .flatMap(({ long, description }) => (long ? [{ text: long, doc: description }] : [])),
  };
  return [here, ...commands.flatMap((each) => commandPaths(each, [...path, each.name()]))];
}

/** Every command by its words, for the `case` that follows a command line word by word. */
const pathsOf = (commands: readonly CommandPath[]) =>
  commands
    .filter(({ path }) => path !== '')
    .map(({ path }) => `'${path}'`)
    .join('|');

/** Words of `place` that fit the typed text: its commands, or its options after a dash. */
const wordsOf = ({ commands, options }: CommandPath) =>
  [...commands, ...options].map(({ text }) => text).join(' ');

function bash(commands: readonly CommandPath[]): string {
  return `# Bash completion of ${NAME}: put this line into ~/.bashrc:  source <(${NAME} completion bash)
_${NAME}() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" at='' word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${at:+$at }$word" in
      ${pathsOf(commands)}) at="\${at:+$at }$word" ;;
    esac
  done
  case "$at" in
${commands.map((command) => `    '${command.path}') COMPREPLY=($(compgen -W '${wordsOf(command)}' -- "$cur")) ;;`).join('\n')}
  esac
}
complete -o default -F _${NAME} ${NAME}
`;
}

function zsh(commands: readonly CommandPath[]): string {
  const entry = ({ text, doc }: Word) => `'${quoted(`${text.replaceAll(':', '\\:')}:${doc}`)}'`;
  const words = ({ commands, options }: CommandPath) => [...commands, ...options].map(entry).join(' ');
  return `#compdef ${NAME}
# Zsh completion of ${NAME}: put this line into ~/.zshrc, after compinit:  source <(${NAME} completion zsh)
_${NAME}() {
  local at='' word
  local -a found
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "\${at:+$at }$word" in
      ${pathsOf(commands)}) at="\${at:+$at }$word" ;;
    esac
  done
  case "$at" in
${commands.map((command) => `    '${command.path}') found=(${words(command)}) ;;`).join('\n')}
  esac
  _describe '${NAME}' found || _files
}
compdef _${NAME} ${NAME}
`;
}

function fish(commands: readonly CommandPath[]): string {
  const lines = commands.flatMap(({ path, commands, options }) => {
    const when = `complete -c ${NAME} -n '__${NAME}_at "${path}"'`;
    return [
      ...commands.map(({ text, doc }) => `${when} -f -a '${text}' -d '${fishQuoted(doc)}'`),
      ...options.map(({ text, doc }) => `${when} -l '${text.slice(2)}' -d '${fishQuoted(doc)}'`),
    ];
  });
  return `# Fish completion of ${NAME}:  ${NAME} completion fish > ~/.config/fish/completions/${NAME}.fish
function __${NAME}_at
  set -l at ''
  for word in (commandline -opc)[2..-1]
    switch (string trim -- "$at $word")
      case ${pathsOf(commands).replaceAll('|', ' ')}
        set at (string trim -- "$at $word")
    end
  end
  test "$at" = "$argv[1]"
end
${lines.join('\n')}
`;
}

const quoted = (text: string) => text.replaceAll("'", `'\\''`);
const fishQuoted = (text: string) => text.replaceAll('\\', '\\\\').replaceAll("'", "\\'");
