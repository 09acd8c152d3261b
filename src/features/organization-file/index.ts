/** All of an organisation as a file, from which another installation makes it again. */
export { importFile } from './read-file.ts';
export { LEFT_OUT, TABLES } from './tables.ts';
export { linesOf } from './write-file.ts';
