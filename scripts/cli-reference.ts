/** Writes docs/cli.md, the help of every command of `crossramp`. */
import { writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { crossrampProgram } from '../src/cli/program.ts';

/** Columns that help texts are wrapped to, whatever the terminal. */
const WIDTH = 110;

const HEAD = `# Commands

The help of every command, written by \`npm run cli-docs\`. In a checkout, \`npm run -s crossramp --\` stands for
\`crossramp\`: \`npm run -s crossramp -- balance\`. Commands read the same settings as the gateway
([operations.md](operations.md)) and work on its database, with or without a running gateway. \`events tail\` and \`listen\` need
one; \`psp\`, \`signer\` and \`completion\` need neither.
\`npm start\` ends with 0 after SIGTERM or SIGINT, with 2 for a wrong option, and with 1 for everything else.
`;

/** @returns the whole document. */
export async function cliReference(): Promise<string> {
  const program = await crossrampProgram();
  return `${HEAD}\n${[program, ...leavesOf(program)].map(section).join('\n')}`;
}

function leavesOf(command: Command): Command[] {
  return (command.commands as Command[]).flatMap((each) =>
    // "trigger" does something itself and has a command besides.
    each.commands.length === 0 || each.registeredArguments.length > 0
      ? [each, ...leavesOf(each)]
      : leavesOf(each),
  );
}

function section(command: Command): string {
  const names: string[] = [];
  for (let each: Command | null = command; each; each = each.parent) names.unshift(each.name());
  let text = '';
  command.configureOutput({ writeOut: (part) => (text += part), getOutHelpWidth: () => WIDTH });
  command.outputHelp();
  return `## ${names.join(' ')}\n\`\`\`\n${text.trim()}\n\`\`\`\n`;
}

/** Where it stands. */
export const CLI_REFERENCE = new URL('../docs/cli.md', import.meta.url);

if (process.argv.includes('--write')) writeFileSync(CLI_REFERENCE, await cliReference());
