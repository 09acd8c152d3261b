import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from '../../connectors/contract.ts';
import { type AskedPage, pagesOf, RepeatedPage } from './pages-of.ts';

// The order of requests and stores in a sync run.

test('reading ahead, the next page is requested before this one is stored, and never more than one', async () => {
  const steps = await walk([page('a'), page('b'), page('c')], { asksAhead: true });

  assert.deepEqual(steps, ['ask 0', 'ask 1', 'store a', 'ask 2', 'store b', 'store c']);
});

test('without reading ahead, each page is stored before the next one is requested', async () => {
  const steps = await walk([page('a'), page('b')], { asksAhead: false });

  assert.deepEqual(steps, ['ask 0', 'store a', 'ask 1', 'store b']);
});

test('a page that is acknowledged is stored before the next request', async () => {
  const acknowledge = async () => {};
  const steps = await walk([page('a', { acknowledge }), page('b'), page('c')], { asksAhead: true });

  assert.deepEqual(steps, ['ask 0', 'store a', 'ask 1', 'ask 2', 'store b', 'store c']);
});

test('a pause ends the sync run, and no request follows it', async () => {
  const steps = await walk([page('a', { pauseSeconds: 60 }), page('b')], { asksAhead: true });

  assert.deepEqual(steps, ['ask 0', 'store a']);
});

test('a request ahead that failed is reported after the page before it was stored', async () => {
  const steps: string[] = [];
  const walking = walk([page('a'), new Error('the second page failed')], {
    asksAhead: true,
    steps,
  });

  await assert.rejects(walking, /the second page failed/);
  assert.deepEqual(steps, ['ask 0', 'ask 1', 'store a']);
});

test('a consumer that stops early leaves no request open, and gets only its own failure', async () => {
  let isAnswered = false;
  const source = sourceOf(
    async (number) => {
      if (number === 0) return page('a');
      await new Promise((resolve) => setTimeout(resolve, 20));
      isAnswered = true;
      throw new Error('the second page failed');
    },
    { asksAhead: true },
  );

  const walking = (async () => {
    for await (const _ of pagesOf(source, null)) throw new Error('the first page was not stored');
  })();

  await assert.rejects(walking, /the first page was not stored/);
  assert.ok(isAnswered);
});

for (const asksAhead of [true, false]) {
  test(`a repeated page is requested once more (ahead: ${asksAhead})`, async () => {
    const same = page('a', { names: ['1', '2'] });
    const steps = await walk([same, same, page('b')], { asksAhead });

    assert.deepEqual(
      steps.filter((word) => word.startsWith('store')),
      ['store a', 'store b'],
    );
  });

  test(`a page that repeats again ends the sync run (ahead: ${asksAhead})`, async () => {
    const same = page('a', { names: ['1', '2'] });
    const steps: string[] = [];

    await assert.rejects(walk([same, same, same], { asksAhead, steps }), RepeatedPage);
    assert.deepEqual(
      steps.filter((word) => word.startsWith('store')),
      ['store a'],
    );
  });

  test(`a position that does not advance ends the sync run before the page is stored (ahead: ${asksAhead})`, async () => {
    const steps: string[] = [];
    const walking = walk([page('a', { next: 'here' }), page('b', { next: 'here' })], {
      asksAhead,
      steps,
    });

    await assert.rejects(walking, { kind: 'runaway' });
    assert.deepEqual(
      steps.filter((word) => word.startsWith('store')),
      ['store a'],
    );
  });
}

test('positions that go in a circle end the sync run', async () => {
  const circle = Array.from({ length: 20 }, (_, number) =>
    page(`${number}`, { next: number % 2 === 0 ? 'here' : 'there' }),
  );
  const steps: string[] = [];

  await assert.rejects(walk(circle, { asksAhead: true, steps }), { kind: 'runaway' });
  assert.equal(steps.filter((word) => word.startsWith('store')).length, 6);
});

test('a list that shrinks may lead back to a position', async () => {
  const positions = ['1', '2', '1', '2', '1', '2', '3'];
  const pages = positions.map((next, number) => page(`${number}`, { next }));
  const steps = await walk([...pages, page('end')], { asksAhead: false });

  assert.equal(steps.at(-1), 'store end');
});

test('things that we asked about may repeat those of the page before', async () => {
  const same = page('a', { names: ['1', '2'] });
  const steps = await walk([same, same, page('c')], { asksAhead: false, mayRepeat: true });

  assert.deepEqual(
    steps.filter((word) => word.startsWith('store')),
    ['store a', 'store a', 'store c'],
  );
});

test('a run that is over ends with its page, stored, and no request follows it', async () => {
  const steps = await walk([page('a'), page('b'), page('c')], { asksAhead: true, most: 2 });

  assert.deepEqual(steps, ['ask 0', 'ask 1', 'store a', 'store b']);
});

test('an honest import may have very many pages, in one run or over many', {
  tags: ['slow'],
}, async () => {
  const many = Array.from({ length: 51_000 }, (_, number) => page(`${number}`));
  const steps = await walk(many, { asksAhead: false });
  assert.equal(steps.at(-1), 'store 50999');

  await walk([page('a'), page('b')], { asksAhead: false, pagesBefore: 999_998 });
});

test('a sync run with more pages than any account fills is ended', async () => {
  const walking = walk([page('a'), page('b')], { asksAhead: false, pagesBefore: 999_999 });

  await assert.rejects(walking, { kind: 'endless' });
});

interface Options {
  readonly asksAhead: boolean;
  readonly mayRepeat?: boolean;
  readonly pagesBefore?: number;
  /** The run is over after so many pages. */
  readonly most?: number;
}

interface Given extends Partial<AskedPage> {
  readonly title: string;
  readonly names: readonly string[];
}

function page(title: string, given: Partial<Omit<Given, 'title'>> = {}): Given {
  return { title, names: [title], ...given };
}

/**
 * Pages in the order of their requests; the last one ends the sync run, unless it has a next
 * position.
 */
function sourceOf(
  answer: (number: number) => Promise<Given>,
  {
    asksAhead,
    mayRepeat = false,
    pagesBefore = 0,
    most = Number.POSITIVE_INFINITY,
    last = 0,
  }: Options & { readonly last?: number },
) {
  let asked = 0;
  const askedAt = Temporal.Instant.fromEpochMilliseconds(0);
  return {
    service: 'amazon',
    asksAhead,
    pagesBefore,
    isOver: (pages: number) => pages >= most,
    ask: async () => {
      const number = asked++;
      const next = number === last && number > 0 ? null : String(number + 1);
      return { page: { askedAt, items: [], next, ...(await answer(number)) }, mayRepeat };
    },
    namesOn: (page: Page<unknown>) => (page as AskedPage & Given).names,
  };
}

/** The requests and stores, in their order. */
async function walk(
  answers: readonly (Given | Error)[],
  { steps = [], ...options }: Options & { readonly steps?: string[] },
): Promise<string[]> {
  const answer = async (number: number) => {
    steps.push(`ask ${number}`);
    const given = answers[number];
    if (!given || given instanceof Error)
      throw given ?? new Error(`no request may ask for page ${number}`);
    return given;
  };
  for await (const page of pagesOf(
    sourceOf(answer, { ...options, last: answers.length - 1 }),
    null,
  )) {
    // A request made ahead is on its way by now.
    await new Promise((resolve) => setImmediate(resolve));
    steps.push(`store ${(page as AskedPage & Given).title}`);
  }
  return steps;
}
