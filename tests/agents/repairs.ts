/** A call of a tool, as an agent makes it. */
export interface Call {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** Asks a tool, as a sentence may say to. */
type Ask = (call: Call) => Promise<{ readonly data: readonly Record<string, unknown>[] }>;

/** How a sentence is applied to the arguments it was said of: by what it says, and nothing else. */
interface Repair {
  readonly sentence: RegExp;
  repair(given: Given, said: readonly string[], ask: Ask): Given | Promise<Given>;
}

type Given = Call['arguments'];

/** The first word of a sentence about an argument: its name, and a place in its list. */
const OF = String.raw`^El argumento ([a-z_]+)(?:\[(\d+)\])? `;

/** Every sentence that a tool says about its arguments. */
export const REPAIRS: readonly Repair[] = [
  {
    sentence: /^Faltan? (?:el|los) argumentos? ([a-z_, ]+)\. .*\d{4}-\d{2}-\d{2}/,
    repair: (given, [text = '', names = '']) => ({
      ...given,
      ...Object.fromEntries(
        names.split(', ').map((name) => [name, /\d{4}-\d{2}-\d{2}/.exec(text)?.[0]]),
      ),
    }),
  },
  {
    sentence: /^(?:Falta el argumento|El argumento|No existe).*\b(list_\w+) (?:los da|da) en (\w+)/,
    repair: fromList,
  },
  {
    sentence: /^El argumento "(.+?)" no existe\. ¿Quisiste decir (\w+)\?$/,
    repair: (given, [, wrong = '', right = '']) => ({
      ...without(given, JSON.parse(`"${wrong}"`)),
      [right]: given[JSON.parse(`"${wrong}"`)],
    }),
  },
  {
    sentence:
      /^El argumento "(.+?)" no existe(?:\. Esta herramienta admite: .+|: .+ no recibe .+)$/s,
    repair: (given, [, wrong = '']) => without(given, JSON.parse(`"${wrong}"`)),
  },
  about(/.*dale un valor o quítalo\.$/, () => undefined),
  about(/debe ser un texto: escríbelo o quítalo\./, () => undefined),
  about(/debe ser un texto: (".*")\./, (_, text) => JSON.parse(text)),
  about(/debe ser una lista: (\[.*\])\.$/, (_, list) => JSON.parse(list)),
  about(/debe ser una lista, por ejemplo .* Cada valor solo admite: ([\w, ]+)\.$/, (_, words) => [
    firstOf(words),
  ]),
  about(/debe ser una lista, por ejemplo .* Cada valor debe ser un texto\.$/, (value) => [
    textOf(value),
  ]),
  about(/debe ser una lista, por ejemplo .* Cada valor [ta]/, (value) => [value]),
  about(/solo admite: ([\w, ]+)\.$/, (_, words) => firstOf(words)),
  about(/debe ser un entero entre (\d+) y \d+\.$/, (_, least) => Number(least)),
  about(/debe ser un texto\./, textOf),
  about(/debe ser true o false\.$/, () => true),
  about(/admite hasta (\d+) valores\.$/, (value, most) =>
    (value as unknown[]).slice(0, Number(most)),
  ),
  about(/admite (?:cuentas de )?hasta (\d+) caracteres\./, (value, most) =>
    String(value).slice(0, Number(most)),
  ),
  about(/tiene caracteres que no son texto: quítalos\.$/, (value) =>
    String(value)
      .replaceAll('\0', '')
      .replace(/\p{Surrogate}/gu, ''),
  ),
  about(/debe ser .*por ejemplo (\d{4}[\dT:Z-]+)[.:]/, (_, example) => example),
  about(/debe ser del año (\d+) en adelante\.$/, (_, year) => `${year}-01-01T00:00:00Z`),
  {
    sentence: /^El argumento from debe ser anterior o igual a to\.$/,
    repair: (given) => ({ ...given, from: given.to, to: given.from }),
  },
  {
    sentence: /^El periodo admite hasta (\d+) días\. Acórtalo/,
    repair: (given, [, most = '']) => ({
      ...given,
      to: Temporal.PlainDate.from(String(given.from))
        .add({ days: Number(most) - 1 })
        .toString(),
    }),
  },
  {
    sentence: /^La zona horaria «.*» no existe\. Un ejemplo: ([\w/]+)\.$/s,
    repair: (given, [, example]) => ({ ...given, timezone: example }),
  },
  {
    sentence: /^Hay más de una orden .* Indica marketplace (\w+) y account_id (.+?)(?:, o .*)?\.$/,
    repair: (given, [, marketplace, account]) => ({ ...given, marketplace, account_id: account }),
  },
  {
    sentence: /sin el (?:parámetro|argumento) (\w+)\.$/,
    repair: (given, [, name = '']) => without(given, name),
  },
  {
    sentence: /^El cursor se hizo con otros filtros\. Repite los mismos u omítelos\.$/,
    repair: ({ cursor }) => ({ cursor }),
  },
  {
    sentence: /^Los argumentos juntos admiten hasta (\d+) bytes\./,
    repair: (given, [, most]) => {
      let shorter = given;
      while (Buffer.byteLength(JSON.stringify(shorter)) > Number(most)) shorter = halved(shorter);
      return shorter;
    },
  },
];

async function fromList(
  given: Given,
  [text = '', list = '', member = '']: readonly string[],
  ask: Ask,
): Promise<Given> {
  const name = /argumento (\w+)/.exec(text)?.[1] ?? member;
  const { data } = await ask({ tool: list, arguments: {} });
  return { ...without(given, 'marketplace', 'account_id'), [name]: data[0]?.[member] };
}

/** A sentence about an argument, or about the values of its list. @param change undefined = left out */
function about(predicate: RegExp, change: (value: unknown, found: string) => unknown): Repair {
  return {
    sentence: new RegExp(OF + predicate.source, 's'),
    repair(given, [, name = '', place, found = '']) {
      const value = given[name];
      const isOfList = place !== undefined && Array.isArray(value);
      const changed = isOfList
        ? value.flatMap((one) => change(one, found) ?? [])
        : change(value, found);
      return changed === undefined ? without(given, name) : { ...given, [name]: changed };
    },
  };
}

function without(given: Given, ...names: readonly string[]): Given {
  return Object.fromEntries(Object.entries(given).filter(([name]) => !names.includes(name)));
}

function firstOf(words: string): string {
  return words.split(', ')[0] ?? '';
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function halved(given: Given): Given {
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.slice(0, Math.ceil(value.length / 2)) : value,
    ]),
  );
}
