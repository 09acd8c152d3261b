import { answer } from './commands/command-line.ts';

/** The operator's commands. */
const { stdout, stderr, exitCode } = await answer(process.argv.slice(2));
if (stdout !== undefined) console.log(stdout);
if (stderr !== undefined) console.error(stderr);
process.exitCode = exitCode;
