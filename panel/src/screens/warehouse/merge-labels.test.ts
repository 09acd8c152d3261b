import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PDFDocument } from '@cantoo/pdf-lib';
import { mergePdfs } from './merge-labels.ts';

test('labels become one file; a damaged one is named, and the others are printed', async () => {
  const whole = await PDFDocument.create();
  whole.addPage();
  const good = await whole.save();
  const damaged = Buffer.from('%PDF-1.4 and no more');

  const { file, unread } = await mergePdfs([good, damaged, good]);
  const none = await mergePdfs([damaged]);

  const merged = await PDFDocument.load(file ?? new Uint8Array());
  assert.equal(merged.getPageCount(), 2);
  assert.deepEqual(unread, [1]);
  assert.deepEqual(none, { file: null, unread: [0] });
});
