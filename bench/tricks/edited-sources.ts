import { registerHooks } from 'node:module';

/** A replacement in a source file; `from` is in it exactly once. */
export interface Edit {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

// Loaded before a program: the program then runs with the edits of EDITS in its sources.
const edits: readonly Edit[] = JSON.parse(process.env.EDITS ?? '[]');

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    const own = edits.filter(({ file }) => url.endsWith(`/${file}`));
    if (own.length === 0 || loaded.source === undefined || loaded.source === null) return loaded;
    const text = Buffer.from(loaded.source as Uint8Array | string).toString();
    return { ...loaded, source: own.reduce(edited, text) };
  },
});

function edited(text: string, { file, from, to }: Edit): string {
  if (text.split(from).length !== 2) throw new Error(`${file}: not once in it: ${from}`);
  return text.replace(from, () => to);
}
