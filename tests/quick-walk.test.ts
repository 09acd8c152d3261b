import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Dice, dice } from '../simulators/dice.ts';
import { walkQuickly } from '../src/features/cfdi/xml/quick-walk.ts';
import { DocumentRefusal } from '../src/features/cfdi/xml/refusal.ts';
import { walkXml } from '../src/features/cfdi/xml/walk.ts';
import { drawnFiles } from './support/tax-documents/drawn.ts';

// What the quick walk takes, the parser takes, too, and both open the same elements.

const SEED = 'a la ligera';
const DOCUMENTS = 200;
const CHANGES = 60;
const LETTERS = [...'<>/="\'&;:!?-[]# \t\n\r\0axñ·€', '😀', '\ud800', '\uffff'];
const PIECES = [
  ...['<!-- a -- b -->', '<!--->', '<![CDATA[ ]]>', '<!DOCTYPE a>', '<?xml version="1.0"?>'],
  ...['<?a ??>', '<?XML a?>', ']]>', '&quot;', '&nada;', '&#0;', '&#xD800;', '&#10;', '&AMP;'],
  ...[' xmlns:a=""', ' xmlns=""', ' xmlns:xml="http://www.w3.org/XML/1998/namespace"'],
  ...[' xmlns:a="http://www.w3.org/2000/xmlns/"', ' xml:lang="es"', ' a:b="1"', ' a="1" a="2"'],
  ...[
    ' xmlns:a="x" xmlns:b="x" a:c="1" b:c="2"',
    ' xmlns:a="x" xmlns:a="y"',
    '</a>',
    '<a/>',
    '<a:b/>',
  ],
  ...[
    ' a = "1"',
    ' a=1',
    ' a',
    '<b xmlns:c=" y "><c:d c:e="1"/></b>',
    '<:a/>',
    '<a:/>',
    '<a:b:c/>',
  ],
];

test(`of ${DOCUMENTS} drawn documents all are taken, and each opens its elements`, () => {
  for (const file of drawnFiles(SEED, DOCUMENTS)) {
    const quick = quickly(file);
    assert.ok(quick);
    assert.deepEqual(quick, parsed(file));
  }
});

test(`of ${DOCUMENTS * CHANGES} changed ones none is taken that the parser refuses`, {
  tags: ['slow'],
}, (t) => {
  const chance = dice(SEED, 'cambios');
  let [taken, left] = [0, 0];
  for (const file of drawnFiles(SEED, DOCUMENTS))
    for (let at = 0; at < CHANGES; at++) {
      const text = changed(chance, file.toString());
      const quick = quickly(Buffer.from(text));
      if (quick) assert.deepEqual(quick, parsed(Buffer.from(text)), text);
      if (quick) taken += 1;
      else left += 1;
    }
  t.diagnostic(`FIGURE ${taken} changed documents taken, ${left} left to the parser`);
  assert.ok(taken > DOCUMENTS && left > DOCUMENTS);
});

test('values with spaces, references and letters of all kinds are as the parser reads them', () => {
  const values = ['a\tb\r\nc\rd', '&lt;&#9;&#xF1;&apos;&amp;lt;', 'ñ·€', '>]]>', '', '  a '];
  for (const value of values)
    for (const quote of [`"`, `'`]) {
      const text = `<a xmlns:b="c" b:d=${quote}${value}${quote} Año="1"><!-- - --></a>`;
      assert.deepEqual(quickly(Buffer.from(text)) ?? assert.fail(value), parsed(Buffer.from(text)));
    }
});

test('what the walk does not know is left to the parser', () => {
  for (const piece of ['', 'a', '<a>', '<a/>a', '<a/><b/>', '<a></b>', '<a>]</a>', '<a>&amp;</a>'])
    assert.equal(quickly(Buffer.from(piece)), null, piece);
});

function changed(chance: Dice, text: string): string {
  const at = Math.floor(chance.roll() * text.length);
  const inserted = chance.pick([chance.pick(LETTERS), chance.pick(PIECES), '']);
  const removed = chance.pick([0, 0, 1, 1, 5]);
  // Most of what matters stands beside these.
  const near = text.indexOf(chance.pick(['<', '>', ' ', '"', '=', '/']), at);
  const place = near < 0 ? at : near + chance.pick([0, 1]);
  return text.slice(0, place) + inserted + text.slice(place + removed);
}

function quickly(bytes: Buffer): unknown[] | null {
  const opened: unknown[] = [];
  return walkQuickly(new TextDecoder().decode(bytes), (element) => opened.push(element))
    ? opened
    : null;
}

function parsed(bytes: Buffer): unknown[] | string {
  const opened: unknown[] = [];
  try {
    walkXml(bytes, (element) => opened.push(element));
    return opened;
  } catch (error) {
    if (error instanceof DocumentRefusal) return `${error.reason}: ${error.cause}`;
    throw error;
  }
}
