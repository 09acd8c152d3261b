/** Words that no Spanish page has; «set» is one of its own («Set de plumones»). */
export const ENGLISH =
  /^.*\b(the|your|with|show|hide|copy|close|open|select|search|send|response|notifications|request|example|method|value|of|for)\b.*$/im;
/** Whatever is read, by eyes or by a screen reader, but for code. */
export const EVERY_WORD = `(() => {
  const isRead = (element) => element && !element.closest('script, style, noscript, code, pre, textarea, [contenteditable]');
  const words = [...document.querySelectorAll('[aria-label], [title], [placeholder]')]
    .flatMap((element) => ['aria-label', 'title', 'placeholder'].map((name) => element.getAttribute(name)));
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) if (isRead(texts.currentNode.parentElement)) words.push(texts.currentNode.data.trim());
  return [...new Set(words.filter(Boolean))].join('\\n');
})()`;
