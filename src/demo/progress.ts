export interface Progress {
  /** Shows an activity; on a terminal the next line replaces it. */
  doing(words: string): void;
  done(words: string): void;
  /** Shows a remark for the reader. */
  note(words: string): void;
}

export function openProgress(out: NodeJS.WriteStream): Progress {
  const again = out.isTTY ? '\r\u001b[K' : '';
  const end = out.isTTY ? '' : '\n';
  return {
    doing: (words) => void out.write(`${again}… ${words}${end}`),
    done: (words) => void out.write(`${again}✓ ${words}\n`),
    note: (words) => void out.write(`${again}! ${words}\n`),
  };
}
