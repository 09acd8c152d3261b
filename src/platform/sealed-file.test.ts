import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { openSealedFile, SealedFileError, sealFile } from './sealed-file.ts';

const BOX = 256 * 1024;
const keyring = { current: randomBytes(32), previous: null };
const ABOUT = { kind: 'test' };

test('content of any size comes back, however its pieces and those of the file are cut', async () => {
  for (const size of [0, 1, BOX - 1, BOX, BOX + 1, 2 * BOX, 3 * BOX + 7]) {
    const content = randomBytes(size);
    for (const pieces of [[content], chunksOf(content, 100_000), [Buffer.alloc(0), content]]) {
      const file = await sealed(pieces);
      assert.equal(boxesOf(file).length, Math.max(1, Math.ceil(size / BOX)));
      for (const chunk of [file.length, 70_001])
        assert.deepEqual(await opened(chunksOf(file, chunk)), content, `${size} by ${chunk}`);
    }
  }
});

test('a file of an earlier release opens', async () => {
  const file = Buffer.from(
    'eyJzYWx0IjoiMjQxOTcyNGZkZDc1ZDMxZTlhNDkyY2IxYjU0YmM4OTYiLCJrZXkiOjI3MDg3NTc0NDYsImFib3V0Ijp7' +
      'ImtpbmQiOiJ0ZXN0In19CgAAACNu4ptmT+Z4kz/YTNNarejjO61BZcXRD/Gg4kTXJ8Dm5VeyLA==',
    'base64',
  );
  const ring = { current: Buffer.alloc(32, 7), previous: null };
  assert.equal((await opened([file], ring)).toString(), 'secreto');
});

test('the head is readable without reading on, and nothing else is', async () => {
  const file = await sealed([Buffer.from('ñandú secreto')]);
  const { about } = await openSealedFile(keyring, iterate([file]));
  assert.deepEqual(about, ABOUT);
  assert.equal(file.includes('secreto'), false);
});

test('a file that ends too early is cut, wherever it ends', async () => {
  const file = await sealed([randomBytes(2 * BOX + 5)]);
  const head = headOf(file);
  const [first = head] = boxesOf(file);
  const ends = [head.length, head.length + 3, head.length + first.length, file.length - 1];
  for (const end of [...ends, file.length - 5 - 28 - 4])
    await refused([file.subarray(0, end)], 'cut');
});

test('boxes are read in their order, each once, and nothing follows the last', async () => {
  const file = await sealed([randomBytes(2 * BOX + 5)]);
  const head = headOf(file);
  const [first, second, last] = boxesOf(file) as [Buffer, Buffer, Buffer];
  await refused([head, second, first, last], 'altered');
  await refused([head, first, first, second, last], 'altered');
  await refused([head, second, last], 'altered');
  await refused([head, first, last], 'altered');
  await refused([file, last], 'altered');
  const other = await sealed([randomBytes(2 * BOX + 5)]);
  await refused([head, first, ...boxesOf(other).slice(1)], 'altered');
});

test('a changed bit of the head, of a length or of a box is refused', async () => {
  const file = await sealed([Buffer.from('contenido')]);
  const start = headOf(file).length;
  for (let at = start; at < file.length; at++) {
    const changed = Buffer.from(file);
    changed[at] = (changed[at] as number) ^ 1;
    await assert.rejects(opened([changed]), SealedFileError, `byte ${at}`);
  }
  const renamed = Buffer.from(file.toString('latin1').replace('"test"', '"text"'), 'latin1');
  await refused([renamed], 'altered');
});

test('a length beyond that of a box is refused before anything is read for it', async () => {
  const file = await sealed([Buffer.from('contenido')]);
  const start = headOf(file).length;
  const [most, beyond] = [BOX + 28, BOX + 29].map((length) => {
    const changed = Buffer.from(file);
    changed.writeUInt32BE(length, start);
    return changed;
  }) as [Buffer, Buffer];
  await refused([beyond], 'altered');
  await refused([most], 'cut');
});

test('the former master key opens the file, and any other one is named as the reason', async () => {
  const file = await sealed([Buffer.from('contenido')]);
  const rotated = { current: randomBytes(32), previous: keyring.current };
  assert.equal((await opened([file], rotated)).toString(), 'contenido');
  const foreign = { current: randomBytes(32), previous: null };
  await assert.rejects(opened([file], foreign), saying('key'));
});

test('what is no such file is refused, also without an end of its first line', async () => {
  for (const text of ['', 'no soy JSON\n', '{"salt":1}\n', '{}', '[]\n'])
    await refused([Buffer.from(text)], 'other');
  let read = 0;
  const endless = (async function* () {
    for (; ; read++) yield Buffer.alloc(1024, 'x');
  })();
  await assert.rejects(openSealedFile(keyring, endless), saying('other'));
  assert.ok(read <= 65, `${read} KB were read`);
});

async function sealed(pieces: readonly Buffer[]): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(sealFile(keyring, ABOUT, iterate(pieces))));
}

async function opened(pieces: readonly Buffer[], ring: typeof keyring | Keys = keyring) {
  const { content } = await openSealedFile(ring, iterate(pieces));
  return Buffer.concat(await Array.fromAsync(content));
}

interface Keys {
  readonly current: Buffer;
  readonly previous: Buffer;
}

async function refused(pieces: readonly Buffer[], what: SealedFileError['what']): Promise<void> {
  await assert.rejects(opened(pieces), saying(what));
}

function saying(what: SealedFileError['what']) {
  return (error: unknown) => error instanceof SealedFileError && error.what === what;
}

function headOf(file: Buffer): Buffer {
  return file.subarray(0, file.indexOf('\n') + 1);
}

/** Each with its length before it. */
function boxesOf(file: Buffer): Buffer[] {
  const boxes: Buffer[] = [];
  for (let at = headOf(file).length; at < file.length; ) {
    const end = at + 4 + file.readUInt32BE(at);
    boxes.push(file.subarray(at, end));
    at = end;
  }
  return boxes;
}

function chunksOf(bytes: Buffer, size: number): Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
    bytes.subarray(at * size, (at + 1) * size),
  );
}

async function* iterate(pieces: readonly Buffer[]): AsyncGenerator<Buffer> {
  yield* pieces;
}
