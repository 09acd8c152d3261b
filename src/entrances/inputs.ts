import type { z } from 'zod';
import { type Failure, invalid } from '../platform/failure.ts';
import { type Given, ourWord } from '../platform/input-fields.ts';
import { nearestOf } from '../platform/nearest.ts';

const KINDS = {
  parameter: { one: 'parámetro', many: 'parámetros', place: 'operación' },
  argument: { one: 'argumento', many: 'argumentos', place: 'herramienta' },
  field: { one: 'campo', many: 'campos', place: 'operación' },
} as const;

/** What callers call a field of an input. */
type InputKind = keyof typeof KINDS;

/**
 * Checks what a caller gave, field by field: most give one or two of many.
 * @throws Failure invalid_request that says what to repair, the first fault alone
 */
export function readInput<Input extends z.ZodObject>(
  kind: InputKind,
  input: Input,
  given: unknown,
): Given<Input> {
  const values = given ?? {};
  if (typeof values !== 'object' || Array.isArray(values))
    throw invalid('arguments', 'Los argumentos deben ser un objeto JSON.');
  const { absent, required } = withoutAny(input);
  const isMissing = (value: unknown) =>
    value === undefined || (kind === 'argument' && (value === null || value === ''));
  const missing = required.filter((name) => isMissing((values as Fields)[name]));
  if (missing.length > 0) throw lacking(kind, input, missing);
  const read = { ...absent };
  for (const [name, value] of Object.entries(values)) {
    if (!Object.hasOwn(input.shape, name)) throw unknownName(kind, name, Object.keys(input.shape));
    if (value !== undefined)
      read[ourWord(name)] = readField(kind, name, input.shape[name] as z.ZodType, value);
  }
  if (!isForward(read))
    throw invalid('from', `El ${KINDS[kind].one} from debe ser anterior o igual a to.`);
  return read as Given<Input>;
}

function lacking(kind: InputKind, input: z.ZodObject, missing: readonly string[]): Failure {
  const [first = ''] = missing;
  const { one, many } = KINDS[kind];
  const head =
    missing.length === 1 ? `Falta el ${one} ${first}` : `Faltan los ${many} ${missing.join(', ')}`;
  const meant = missing.map((name) => {
    const { description } = input.shape[name] as z.ZodType;
    return missing.length === 1 ? description : `${name}: ${description}`;
  });
  return invalid(first, `${head}. ${meant.join(' ')}`);
}

type Fields = Readonly<Record<string, unknown>>;

interface Absent {
  /** What the fields are that may be left out, by our names. */
  readonly absent: Fields;
  readonly required: readonly string[];
}

const inputs = new WeakMap<z.ZodObject, Absent>();

function withoutAny(input: z.ZodObject): Absent {
  const known = inputs.get(input);
  if (known) return known;
  const fields = Object.entries(input.shape).map(([name, field]) => ({
    name,
    left: (field as z.ZodType).safeParse(undefined),
  }));
  const made = {
    absent: Object.fromEntries(
      fields.flatMap(({ name, left }) => (left.success ? [[ourWord(name), left.data]] : [])),
    ),
    required: fields.filter(({ left }) => !left.success).map(({ name }) => name),
  };
  inputs.set(input, made);
  return made;
}

function readField(kind: InputKind, name: string, field: z.ZodType, value: unknown): unknown {
  const read = field.safeParse(value, { error: predicateOf });
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  // An address has no places in a list.
  const path = kind === 'parameter' ? [] : (issue?.path ?? []);
  const place = path.map((part) => `[${String(part)}]`).join('');
  const isOptional = path.length > 0 || field.safeParse(undefined).success;
  const fault = value === null ? 'no puede ser null' : faultOf(kind, field, value, issue);
  const message = `El ${KINDS[kind].one} ${name}${place} ${fault}`;
  if (kind === 'argument' && !isOptional) throw invalid(name, `${message} ${field.description}`);
  if (value !== null) throw invalid(`${name}${place}`, message);
  throw invalid(`${name}${place}`, isOptional ? `${message}: ${LEAVE_OUT}` : `${message}.`);
}

const LEAVE_OUT = 'dale un valor o quítalo.';

/** What a caller does to repair a value, where its own field does not say it. */
function faultOf(
  kind: InputKind,
  field: z.ZodType,
  value: unknown,
  issue: z.core.$ZodIssue | undefined,
): string {
  if (issue?.code !== 'invalid_type' || issue.path.length > 0) return String(issue?.message);
  if (issue.expected === 'array') return faultOfNoList(field, value);
  const isGuessed = kind === 'argument' && issue.expected === 'string';
  return isGuessed ? faultOfNoText(field, value) : issue.message;
}

function faultOfNoList(field: z.ZodType, value: unknown): string {
  const example = 'debe ser una lista, por ejemplo ["…"].';
  const ofOne = field.safeParse([value], { error: predicateOf });
  if (!ofOne.success) return `${example} Cada valor ${ofOne.error.issues[0]?.message}`;
  const shown = JSON.stringify([value]);
  return shown.length > LONGEST_SHOWN ? example : `debe ser una lista: ${shown}.`;
}

/** A number is what it is as a text; of anything else the field says what it takes. */
function faultOfNoText(field: z.ZodType, value: unknown): string {
  const text = typeof value === 'object' ? '' : String(value);
  const asText = field.safeParse(text, { error: predicateOf });
  if (asText.success) return `debe ser un texto: ${JSON.stringify(text)}.`;
  const [issue] = asText.error.issues;
  if (issue?.code !== 'too_small') return String(issue?.message);
  return `debe ser un texto${field.safeParse(undefined).success ? ': escríbelo o quítalo' : ''}.`;
}

/** Periods are of instants, or of days as text. */
function isForward({ from, to }: Fields): boolean {
  if (from instanceof Temporal.Instant && to instanceof Temporal.Instant)
    return Temporal.Instant.compare(from, to) <= 0;
  return typeof from !== 'string' || typeof to !== 'string' || from <= to;
}

/** Of a name that does not exist: the one that was probably meant, or all there are. */
export function unknownName(kind: InputKind, name: string, known: readonly string[]): Failure {
  const { one, many, place } = KINDS[kind];
  const shown = name.slice(0, LONGEST_SHOWN);
  const missing = `El ${one} ${JSON.stringify(shown)} no existe`;
  if (known.length === 0) return invalid(name, `${missing}: esta ${place} no recibe ${many}.`);
  const nearest = nearestOf(shown, known);
  const hint =
    nearest === null ? `Esta ${place} admite: ${known.join(', ')}.` : `¿Quisiste decir ${nearest}?`;
  return invalid(name, `${missing}. ${hint}`);
}

const LONGEST_SHOWN = 60;

const TYPES: Readonly<Record<string, string>> = {
  string: 'debe ser un texto.',
  number: 'debe ser un número.',
  int: 'debe ser un número entero.',
  boolean: 'debe ser true o false.',
  array: 'debe ser una lista.',
  record: 'debe ser un objeto JSON.',
};

/** Goes on from «El argumento limit», where the field itself does not say what is wrong. */
function predicateOf(issue: z.core.$ZodRawIssue): string {
  if (issue.code === 'invalid_value') return `solo admite: ${issue.values.join(', ')}.`;
  if (issue.code === 'invalid_type') return TYPES[issue.expected] ?? 'no tiene el tipo esperado.';
  if (issue.code === 'too_big')
    return `${MOST[issue.origin] ?? 'debe ser a lo más'} ${issue.maximum}${UNITS[issue.origin] ?? ''}.`;
  if (issue.code === 'too_small' && issue.origin === 'string')
    return `no puede estar vacío: ${LEAVE_OUT}`;
  return 'no tiene la forma esperada.';
}

const MOST: Readonly<Record<string, string>> = { string: 'admite hasta', array: 'admite hasta' };
const UNITS: Readonly<Record<string, string>> = { string: ' caracteres', array: ' valores' };
