import type { Page } from 'playwright-core';

/**
 * Words of English pages that no Spanish page has. Not among them: words of both languages («total»,
 * «error», «normal»), words that Mexican sellers use («webhook», «marketplace», «ticket», «token»),
 * names of products, and «set», which is one of our own («Set de plumones»).
 */
const WORDS = [
  'the a an and or but not with without from into onto over under about after before between during',
  'for of to by at as is are was were be been being has have had having do does did done doing',
  'will would shall should can could may might must this these those that there their them they',
  'your you we our us its his her who whom whose which what when where why how each every any some',
  'all both few more most other such only own same than then too very just also here now never',
  'show hide copy close open select search send save saved saving cancel delete remove add added',
  'edit update updated create created new next previous back forward submit apply reset clear',
  'confirm continue upload download loading loaded failed failure success warning required',
  'optional invalid missing empty unknown enabled disabled enable disable active inactive pending',
  'paid unpaid shipped delivered cancelled canceled refunded returned ready received processing',
  'order orders item items product products buyer seller customer customers price amount quantity',
  'stock warehouse shipment shipments shipping parcel parcels carrier tracking label labels invoice',
  'invoices payment payments payout payouts balance balances tax taxes fee fees discount refund',
  'account accounts password settings profile user users member members role roles owner team',
  'organization company address phone name names date time day week month year today yesterday',
  'tomorrow hour hours minute minutes second seconds page pages row rows column columns table list',
  'filter filters sort sorted view views home help more less first last',
  'response request example method value values key keys default string number boolean object',
  'array null undefined true false nan notification notifications message messages alert alerts',
  'warnings errors yes click press drag drop choose chosen enter sign log login logout sync synced',
] as const;
/** Whole words of Spanish or of Mexican sellers, too. */
const SPANISH_TOO = ['a', 'has', 'as', 'do', 'was', 'can', 'more', 'list', 'sin', 'us', 'error'];

const ENGLISH_WORDS = WORDS.flatMap((line) => line.split(' ')).filter(
  (word) => !SPANISH_TOO.includes(word),
);
/** The line with the first English word. */
export const ENGLISH = new RegExp(
  `^.*(?<![\\p{L}\\d_-])(${ENGLISH_WORDS.join('|')})(?![\\p{L}\\d_-]).*$`,
  'imu',
);

/**
 * Whatever is read, by eyes or by a screen reader, but for code, keys, and the words of marketplaces,
 * which are marked as not to be translated.
 */
export const EVERY_WORD = `(() => {
  const CODE = 'script, style, noscript, code, pre, kbd, textarea, [contenteditable], [translate=no]';
  const NAMES = ['aria-label', 'title', 'placeholder', 'alt'];
  const named = [...document.querySelectorAll(NAMES.map((name) => '[' + name + ']').join(', '))];
  const words = [document.title, ...named.filter((one) => !one.closest(CODE)).flatMap((one) => NAMES.map((name) => one.getAttribute(name)))];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) if (!texts.currentNode.parentElement?.closest(CODE)) words.push(texts.currentNode.data.trim());
  return [...new Set(words.filter(Boolean))].join('\\n');
})()`;

/** Names of programs, addresses, names of files. */
const NAMED = /Seller Central|\S*[@./]\S+/g;

/** Every line of a page with an English word that is no name. */
export async function englishIn(page: Pick<Page, 'evaluate'>): Promise<string[]> {
  const words = await page.evaluate<string>(EVERY_WORD);
  const lines = words.replaceAll(NAMED, '').split('\n');
  return lines.filter((line) => ENGLISH.test(line));
}
