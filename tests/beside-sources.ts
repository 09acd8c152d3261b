import { glob } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';

// The tests beside their sources need no database and change nothing around them. In one process,
// they start once.

for (const file of (
  await Array.fromAsync(
    glob(['src/**/*.test.ts', 'panel/src/**/*.test.ts', 'simulators/**/*.test.ts']),
  )
).sort())
  await import(pathToFileURL(file).href);
