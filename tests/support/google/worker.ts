/** The thread in which Google runs the script. */
import vm from 'node:vm';
import {
  type MessagePort,
  parentPort,
  receiveMessageOnPort,
  workerData,
} from 'node:worker_threads';
import { type Day, type Execution, openExecution, Stopped } from './execution.ts';
import type { Ask, Call, Ran, RunOptions, Seen, SeenTab } from './protocol.ts';
import {
  type Fetched,
  type LockState,
  lockService,
  propertiesService,
  type Store,
  scriptApp,
  type Trigger,
  urlFetchApp,
  utilities,
} from './services.ts';
import { spreadsheetApp } from './spreadsheet-app.ts';
import type { Screen } from './ui.ts';
import { type Cell, entered, lastRowOf, putIn, type Tab, type Workbook } from './workbook.ts';

const { script, port, signal } = workerData as {
  script: string;
  port: MessagePort;
  signal: SharedArrayBuffer;
};
const compiled = new vm.Script(script, { filename: 'tianguis.gs' });
const handlers = new Set([...script.matchAll(/^function (\w+)\(/gm)].map(([, name = '']) => name));
const workbook: Workbook = { tabs: [], pending: [] };
const stores: { user: Store; document: Store } = { user: new Map(), document: new Map() };
const triggers: Trigger[] = [];
const lock: LockState = { holder: null };
const day: Day = { began: 0, triggersMs: 0, fetches: 0 };
/** How far the app's clock was advanced. */
let reportedMs = 0;

parentPort?.on('message', (asked: Ask & { now: number }) => {
  try {
    parentPort?.postMessage({ answer: answer(asked) });
  } catch (error) {
    parentPort?.postMessage({ failed: error instanceof Error ? error.stack : String(error) });
  }
});

function answer(asked: Ask & { now: number }): unknown {
  if (asked.ask === 'run') return runFromOutside(asked.name, asked.options, asked.now);
  if (asked.ask === 'edit') return edit(asked.change);
  if (asked.ask === 'tab') return seenTab(tabNamed(asked.name));
  if (asked.ask === 'fired') return fired(asked.id);
  if (asked.ask === 'reset') return reset();
  return {
    tabs: workbook.tabs.map(({ name }) => name),
    triggers,
    user: Object.fromEntries(stores.user),
    document: Object.fromEntries(stores.document),
    day,
  } satisfies Seen;
}

function reset(): void {
  workbook.tabs.splice(0);
  triggers.splice(0);
  for (const store of [stores.user, stores.document]) store.clear();
  Object.assign(day, { began: 0, triggersMs: 0, fetches: 0 });
}

function fired(id: number): void {
  const trigger = triggers.find((each) => each.id === id);
  if (trigger?.due != null)
    trigger.due = trigger.everyMs === null ? null : trigger.due + trigger.everyMs;
}

function runFromOutside(name: string, options: RunOptions, now: number): Ran {
  reportedMs = now;
  const ran = runOnce(name, options, now);
  callOut({ url: null, options: {}, elapsedMs: Math.max(0, now + ran.milliseconds - reportedMs) });
  return ran;
}

function runOnce(name: string, options: RunOptions, now: number): Ran {
  let overlapped: Ran | null = null;
  const { overlap } = options;
  const at = new Map<number, () => void>();
  if (overlap)
    at.set(overlap.at, () => {
      overlapped = runOnce(overlap.name, { kind: 'trigger' }, execution.now());
    });
  const kind = options.kind ?? 'menu';
  const execution = openExecution({ ...options, now, kind, day, at });
  const screen: Screen = {
    typed: [...(options.typed ?? [])],
    agrees: options.agrees ?? false,
    shown: [],
    menu: [],
  };
  const fetched: [string, number | null][] = [];
  const logged: string[] = [];
  let error: string | null = null;
  try {
    const context = contextOf(execution, screen, { fetched, logged, options });
    compiled.runInContext(context);
    vm.runInContext(`${name}()`, context);
  } catch (thrown) {
    if (!(thrown instanceof Stopped)) error = messageOf(thrown);
  }
  endRun(execution);
  return {
    name,
    error,
    stopped: execution.stopped,
    calls: execution.calls,
    milliseconds: execution.now() - now,
    fetched,
    shown: screen.shown,
    logged,
    menu: screen.menu,
    overlapped,
  };
}

/** A run that ends makes its writes; of one that was stopped some may be lost. */
function endRun(execution: Execution): void {
  if (lock.holder === execution) lock.holder = null;
  const writes = workbook.pending.splice(0);
  const made = execution.stopped ? execution.calls % (writes.length + 1) : writes.length;
  for (const write of writes.slice(0, made)) write();
}

function contextOf(
  execution: Execution,
  screen: Screen,
  {
    fetched,
    logged,
    options,
  }: { fetched: [string, number | null][]; logged: string[]; options: RunOptions },
): vm.Context {
  const log = (said: unknown) => void logged.push(String(said));
  const context = vm.createContext({
    SpreadsheetApp: spreadsheetApp(execution, workbook, screen),
    PropertiesService: propertiesService(execution, stores),
    LockService: lockService(execution, options.isUnbound ? null : lock),
    UrlFetchApp: urlFetchApp(execution, (url, asked) => {
      const elapsedMs = Math.max(0, execution.now() - reportedMs);
      reportedMs += elapsedMs;
      if (options.editAt?.fetch === fetched.length + 1) options.editAt.changes.forEach(edit);
      const got = callOut({ url, options: asked, elapsedMs });
      fetched.push([url, got?.status ?? null]);
      return got;
    }),
    Utilities: utilities(execution),
    ScriptApp: scriptApp(execution, triggers, handlers),
    console: { log, warn: log },
    clockOfGoogle: () => execution.now(),
  });
  vm.runInContext(
    `Date = class extends Date {
       constructor(...given) { super(...(given.length ? given : [clockOfGoogle()])); }
       static now() { return clockOfGoogle(); }
     };
     Math.random = () => 0.5;`,
    context,
  );
  return context;
}

function callOut(call: Call): Fetched | null {
  const flag = new Int32Array(signal);
  port.postMessage(JSON.parse(JSON.stringify(call)));
  Atomics.wait(flag, 0, 0);
  Atomics.store(flag, 0, 0);
  const { message } = receiveMessageOnPort(port) as {
    message: { fetched?: Fetched | null; failed?: string };
  };
  if (message.failed !== undefined) throw new Error(message.failed);
  return message.fetched ?? null;
}

function edit(change: Extract<Ask, { ask: 'edit' }>['change']): void {
  if (change.what === 'property') return void stores.document.set(change.name, change.value);
  if (change.what === 'day') return void Object.assign(day, { fetches: change.fetches });
  const tab = tabNamed(change.tab);
  if (change.what === 'cell')
    return putIn(tab.cells, change.at[0], change.at[1], entered(change.text, ''));
  if (change.what === 'rename') tab.name = change.to;
  if (change.what === 'rows') tab.maxRows = change.count;
  if (change.what === 'remove') workbook.tabs.splice(workbook.tabs.indexOf(tab), 1);
  if (change.what === 'clear')
    for (let row = 2; row <= lastRowOf(tab); ) tab.cells.delete(lastRowOf(tab));
  if (change.what === 'sort') turnRound(tab);
}

/** The rows below the header in the opposite order. */
function turnRound(tab: Tab): void {
  const last = lastRowOf(tab);
  const rows = Array.from({ length: last - 1 }, (_, at) => tab.cells.get(at + 2) ?? new Map());
  rows.reverse().forEach((row, at) => {
    tab.cells.set(at + 2, row);
  });
}

function seenTab(tab: Tab): SeenTab {
  const size = { rows: lastRowOf(tab), columns: tab.maxColumns };
  const gridOf = <Value>(grid: Map<number, Map<number, Value>>, none: Value) =>
    Array.from({ length: size.rows }, (_, row) =>
      Array.from(
        { length: size.columns },
        (__, column) => grid.get(row + 1)?.get(column + 1) ?? none,
      ),
    );
  return {
    rows: gridOf<Cell>(tab.cells, { kind: 'blank', value: '' }),
    formats: gridOf(tab.formats, ''),
    maxRows: tab.maxRows,
    maxColumns: tab.maxColumns,
  };
}

function tabNamed(name: string): Tab {
  const tab = workbook.tabs.find((each) => each.name === name);
  if (!tab) throw new Error(`There is no tab ${name}.`);
  return tab;
}

function messageOf(thrown: unknown): string {
  return typeof thrown === 'object' && thrown !== null && 'message' in thrown
    ? String(thrown.message)
    : String(thrown);
}
