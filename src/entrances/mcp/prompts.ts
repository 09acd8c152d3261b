import { MARKETPLACES } from '../../connectors/contract.ts';
import { invalid } from '../../platform/failure.ts';

interface Argument {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
  /** Whether it may be put into the sentence; null = as good as not given. */
  readonly form: Pick<RegExp, 'test'>;
  readonly example: string;
}

/** A task that a person starts from the agent's menu. */
interface Prompt {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly arguments: readonly Argument[];
  text(given: Readonly<Record<string, string | undefined>>): string;
}

const DAY: Omit<Argument, 'name' | 'description' | 'required'> = {
  form: /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/,
  example: '2026-11-20',
};
const MONTH = { form: /^\d{4}-(0[1-9]|1[0-2])$/, example: '2026-11' };
const MARKETPLACE: Omit<Argument, 'name' | 'description' | 'required'> = {
  form: { test: (slug) => (MARKETPLACES as readonly string[]).includes(slug) },
  example: MARKETPLACES[0],
};

const RULES =
  'Usa solo lo que digan las herramientas. Revisa freshness y avisa si alguna cuenta está atrasada o necesita reconectarse. ' +
  'Un dato null no es 0. No sumes monedas distintas. Responde en español.';

export const PROMPTS: readonly Prompt[] = Object.freeze([
  {
    name: 'corte_diario',
    title: 'Corte diario de ventas',
    description: 'Ventas de un día por marketplace, comparadas con el día anterior.',
    arguments: [
      {
        name: 'fecha',
        description: 'El día, AAAA-MM-DD, hora de la Ciudad de México.',
        required: true,
        ...DAY,
      },
      {
        name: 'marketplace',
        description: 'Solo de este marketplace.',
        required: false,
        ...MARKETPLACE,
      },
    ],
    text: ({ fecha, marketplace }) =>
      `Haz el corte de ventas del ${fecha}${marketplace ? ` de ${marketplace}` : ''} (días de America/Mexico_City). ` +
      'Pide get_sales_summary de ese día agrupado por marketplace, luego por producto, y lo mismo del día anterior. ' +
      'Presenta órdenes, piezas, bruto, devoluciones, neto y ticket promedio por marketplace, los diez productos que más ' +
      `vendieron, y qué cambió contra el día anterior. ${RULES}`,
  },
  {
    name: 'inventario_en_riesgo',
    title: 'Inventario en riesgo',
    description: 'Productos que se venden y están por agotarse.',
    arguments: [
      {
        name: 'umbral',
        description: 'Piezas disponibles a partir de las cuales hay riesgo; 5 si se omite.',
        required: false,
        form: /^\d{1,6}$/,
        example: '5',
      },
      {
        name: 'dias',
        description: 'Días de venta que se miran, de 1 a 90; 14 si se omite.',
        required: false,
        form: /^([1-9]|[1-8]\d|90)$/,
        example: '14',
      },
    ],
    text: ({ umbral = '5', dias = '14' }) =>
      `Busca inventario en riesgo. Pide get_inventory con max_available ${umbral} y recorre todas las páginas; luego ` +
      `get_sales_summary de los últimos ${dias} días agrupado por producto. Cruza por SKU: lista lo que se vendió y tiene ` +
      `${umbral} piezas o menos, con sus ventas por día y para cuántos días alcanza, de lo más urgente a lo menos. Un ` +
      `marketplace que no entrega inventario se reporta como «no disponible», no como agotado. ${RULES}`,
  },
  {
    name: 'conciliacion_cfdi',
    title: 'Conciliación de CFDI',
    description: 'Ventas de un mes contra sus facturas.',
    arguments: [
      { name: 'mes', description: 'El mes, AAAA-MM.', required: true, ...MONTH },
      {
        name: 'marketplace',
        description: 'Solo de este marketplace.',
        required: false,
        ...MARKETPLACE,
      },
    ],
    text: ({ mes = '', marketplace }) => {
      const { first, last, from, to } = monthInMexico(mes);
      return (
        `Concilia los CFDI de ${mes}${marketplace ? ` de ${marketplace}` : ''} (días de America/Mexico_City). Pide ` +
        `get_sales_summary del ${first} al ${last} agrupado por marketplace, y list_cfdis y list_orders con fields full de ` +
        `${from} a ${to}; recorre todas las páginas. Señala órdenes que pidieron factura (cfdi.required) y no la tienen, ` +
        'facturas emitidas (direction issued) canceladas de órdenes vigentes, facturas emitidas de ingreso sin orden, e ' +
        'importes que no coinciden con el total de sus órdenes (las que no estén en la lista, con get_order), con sus folios ' +
        `fiscales e identificadores. ${RULES}`
      );
    },
  },
]);

/**
 * The words of a prompt with its arguments in them; nothing goes in that does not have the
 * argument's form.
 * @throws Failure invalid_request
 */
export function wordsOf(prompt: Prompt, given: unknown = {}): string {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw invalid('arguments', 'Los argumentos deben ser un objeto JSON.');
  const read: Record<string, string> = {};
  for (const argument of prompt.arguments) {
    const value = readValue(argument, (given as Record<string, unknown>)[argument.name]);
    if (value !== undefined) read[argument.name] = value;
  }
  return prompt.text(read);
}

function readValue(
  { name, required, form, example }: Argument,
  value: unknown,
): string | undefined {
  if (value === undefined && required)
    throw invalid(name, `Falta el argumento ${name}, por ejemplo ${example}.`);
  if (value === undefined) return undefined;
  if (typeof value !== 'string')
    throw invalid(name, `El argumento ${name} debe ser un texto, por ejemplo "${example}".`);
  if (!form.test(value))
    throw invalid(name, `El argumento ${name} no tiene la forma esperada; un ejemplo: ${example}.`);
  return value;
}

/** The days of `2026-11` and its first and last instant, in Mexico City. */
function monthInMexico(month: string) {
  const first = Temporal.PlainYearMonth.from(month).toPlainDate({ day: 1 });
  const next = first.add({ months: 1 });
  const begin = (day: Temporal.PlainDate) => day.toZonedDateTime('America/Mexico_City').toInstant();
  return {
    first: first.toString(),
    last: next.subtract({ days: 1 }).toString(),
    from: begin(first).toString(),
    to: begin(next).subtract({ milliseconds: 1 }).toString(),
  };
}
