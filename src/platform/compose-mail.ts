import { escapeHtml } from './html.ts';
import type { Mail } from './mailer.ts';

/** `text` and `html` of a mail out of its paragraphs; one that is an address becomes a link. */
export function composeMail(to: string, subject: string, paragraphs: readonly string[]): Mail {
  const html = paragraphs.map((paragraph) => {
    const safe = escapeHtml(paragraph);
    return /^https?:\/\/\S+$/.test(paragraph)
      ? `<p><a href="${safe}">${safe}</a></p>`
      : `<p>${safe}</p>`;
  });
  return {
    to,
    subject,
    text: `${paragraphs.join('\n\n')}\n`,
    html: `<!doctype html><html lang="es-MX"><meta charset="utf-8"><title>${escapeHtml(subject)}</title>\n${html.join('\n')}\n</html>\n`,
  };
}
