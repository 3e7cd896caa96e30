/** The allowed methods and globals by type. Unlisted names are rejected even when JavaScript has them. */
import type { Budget } from './budget.ts';
import {
  ElementValue,
  Foreign,
  FunctionValue,
  NativeFunction,
  ObjectValue,
  UnsupportedError,
  type Value,
} from './values.ts';

export type Call = (callee: Value, args: Value[]) => Value;

interface MethodContext {
  budget: Budget;
  call: Call;
}

type Method<Receiver> = (receiver: Receiver, args: Value[], context: MethodContext) => Value;

export function callMethod(receiver: Value, name: string, args: Value[], context: MethodContext): Value {
  // A method reads or copies its receiver once; it charges further results separately.
  if (typeof receiver === 'string' || Array.isArray(receiver)) context.budget.cells(receiver.length);
  if (typeof receiver === 'string') return find(stringMethods, name, 'text')(receiver, args, context);
  if (typeof receiver === 'number') return find(numberMethods, name, 'a number')(receiver, args, context);
  if (Array.isArray(receiver)) return find(arrayMethods, name, 'a list')(receiver, args, context);
  throw new UnsupportedError(`the method "${name}" is not supported here`);
}

function only<Receiver>(maxArguments: number, method: Method<Receiver>): Method<Receiver> {
  return (receiver, args, context) =>
    args.length > maxArguments ? unsupported('an argument of this method') : method(receiver, args, context);
}

function find<Receiver>(
  methods: Map<string, Method<Receiver>>,
  name: string,
  type: string,
): Method<Receiver> {
  const method = methods.get(name);
  if (!method) throw new UnsupportedError(`the method "${name}" of ${type} is not supported`);
  return method;
}

const stringMethods = new Map<string, Method<string>>([
  ['toUpperCase', (text) => text.toUpperCase()],
  ['toLowerCase', (text) => text.toLowerCase()],
  ['trim', (text) => text.trim()],
  ['trimStart', (text) => text.trimStart()],
  ['trimEnd', (text) => text.trimEnd()],
  ['toString', (text) => text],
  ['slice', (text, args) => text.slice(...range(args))],
  ['substring', (text, args) => text.substring(number(args[0]), optionalNumber(args[1]))],
  ['charAt', (text, args) => text.charAt(number(args[0]))],
  ['charCodeAt', (text, args) => text.charCodeAt(number(args[0]))],
  ['at', (text, args) => text.at(number(args[0]))],
  ['concat', concatenated],
  ['includes', only(1, (text, args) => text.includes(string(args[0])))],
  ['startsWith', only(1, (text, args) => text.startsWith(string(args[0])))],
  ['endsWith', only(1, (text, args) => text.endsWith(string(args[0])))],
  ['indexOf', only(1, (text, args) => text.indexOf(string(args[0])))],
  ['lastIndexOf', only(1, (text, args) => text.lastIndexOf(string(args[0])))],
  ['split', only(1, (text, args) => text.split(string(args[0])))],
  ['replace', (text, args, context) => replaced(text, args, context, false)],
  ['replaceAll', (text, args, context) => replaced(text, args, context, true)],
  ['repeat', repeated],
  ['padStart', (text, args, context) => padded(text, args, context, 'padStart')],
  ['padEnd', (text, args, context) => padded(text, args, context, 'padEnd')],
]);

const numberMethods = new Map<string, Method<number>>([
  ['toFixed', (value, args) => value.toFixed(fractionDigits(args[0]))],
  ['toString', (value, args) => (args.length ? unsupported('toString with a base') : String(value))],
]);

const arrayMethods = new Map<string, Method<Value[]>>([
  ['map', (list, [fn], { call }) => list.map((item, index) => call(fn, [item, index, list]))],
  ['filter', (list, [fn], { call }) => list.filter((item, index) => truthy(call(fn, [item, index, list])))],
  ['find', (list, [fn], { call }) => list.find((item, index) => truthy(call(fn, [item, index, list])))],
  [
    'findIndex',
    (list, [fn], { call }) => list.findIndex((item, index) => truthy(call(fn, [item, index, list]))),
  ],
  ['some', (list, [fn], { call }) => list.some((item, index) => truthy(call(fn, [item, index, list])))],
  ['every', (list, [fn], { call }) => list.every((item, index) => truthy(call(fn, [item, index, list])))],
  [
    'flatMap',
    (list, [fn], { call }) => list.flatMap((item, index) => certain(call(fn, [item, index, list]))),
  ],
  [
    'findLast',
    (list, [fn], { call }) => list.findLast((item, index) => truthy(call(fn, [item, index, list]))),
  ],
  ['flat', only(0, (list, _args, { budget }) => (budget.cells(flatLength(list)), list.map(certain).flat()))],
  ['slice', (list, args) => list.slice(...range(args))],
  [
    'concat',
    (list, args, { budget }) => (
      budget.cells(flatLength(args)),
      list.concat(...(args.map(certain) as Value[][]))
    ),
  ],
  ['toReversed', (list) => list.toReversed()],
  ['includes', only(1, (list, [item]) => list.includes(primitive(item)))],
  ['indexOf', only(1, (list, [item]) => list.indexOf(primitive(item)))],
  ['at', (list, [index]) => list.at(number(index))],
  ['join', joined],
  ['reduce', reduced],
]);

function replaced(text: string, args: Value[], { budget }: MethodContext, all: boolean): string {
  const [from, to] = [string(args[0]), string(args[1])];
  if (to.includes('$')) return unsupported('a replacement with "$"');
  budget.cells(text.length + to.length * (all ? text.length + 1 : 1));
  return all ? text.replaceAll(from, () => to) : text.replace(from, () => to);
}

function concatenated(text: string, args: Value[], { budget }: MethodContext): string {
  const parts = args.map(textOf);
  budget.cells(parts.reduce((sum, part) => sum + part.length, text.length));
  return text.concat(...parts);
}

function flatLength(list: readonly Value[]): number {
  return list.reduce((sum: number, item) => sum + (Array.isArray(item) ? item.length : 1), 0);
}

function fractionDigits(value: Value): number {
  const digits = optionalNumber(value) ?? 0;
  return digits >= 0 && digits <= 100 ? digits : unsupported('this number of digits');
}

function repeated(text: string, args: Value[], { budget }: MethodContext): string {
  const count = number(args[0]);
  if (!(count >= 0 && Number.isFinite(count))) return unsupported('repeat with this count');
  budget.cells(text.length * count);
  return text.repeat(count);
}

function padded(text: string, args: Value[], { budget }: MethodContext, name: 'padStart' | 'padEnd'): string {
  const length = number(args[0]);
  budget.cells(Math.max(length, 0));
  return text[name](length, args[1] === undefined ? ' ' : string(args[1]));
}

function joined(list: Value[], args: Value[], { budget }: MethodContext): string {
  const separator = args[0] === undefined ? ',' : string(args[0]);
  const parts = list.map((item) => (item === null || item === undefined ? '' : textOf(item)));
  budget.cells(parts.reduce((sum, part) => sum + part.length + separator.length, 0));
  return parts.join(separator);
}

function reduced(list: Value[], args: Value[], { call }: MethodContext): Value {
  if (args.length < 2) return unsupported('reduce without a first value');
  return list.reduce((sum, item, index) => call(args[0], [sum, item, index, list]), args[1]);
}

/** Properties of JavaScript's prototypes: reading them is rejected instead of answered wrongly. */
const prototypeNames = new Set([
  ...Object.getOwnPropertyNames(Object.prototype),
  ...Object.getOwnPropertyNames(Array.prototype),
  ...Object.getOwnPropertyNames(String.prototype),
  ...Object.getOwnPropertyNames(Number.prototype),
  ...Object.getOwnPropertyNames(Function.prototype),
]);

export function readProperty(receiver: Value, key: string): Value {
  if (receiver === null || receiver === undefined)
    throw new UnsupportedError(`"${key}" cannot be read from ${String(receiver)}`);
  if (receiver instanceof ObjectValue) {
    if (receiver.entries.has(key)) return receiver.get(key);
    return prototypeNames.has(key) && !arrayOnly(key) ? unsupported(`the property "${key}"`) : undefined;
  }
  if (typeof receiver === 'string' || Array.isArray(receiver)) {
    if (key === 'length') return receiver.length;
    if (/^(?:0|[1-9]\d*)$/.test(key)) return receiver[Number(key)];
    return prototypeNames.has(key) ? unsupported(`the property "${key}"`) : undefined;
  }
  return unsupported(`the property "${key}"`);
}

/**
 * `length`, `name`, `at` and the like are ordinary keys of a plain object, which inherits only Object's
 * names.
 */
function arrayOnly(key: string): boolean {
  return !Object.hasOwn(Object.prototype, key);
}

/** Implements `useState` and the other names of the format; a page may shadow any of them. */
export function standardScope(budget: Budget, call: Call, noteLive: () => void): [string, Value][] {
  const nothing = new NativeFunction(() => undefined);
  const effect = new NativeFunction(() => (noteLive(), undefined));
  const initial = (value: Value): Value => (value instanceof FunctionValue ? call(value, []) : value);
  const native = (body: (args: Value[]) => Value): NativeFunction => new NativeFunction(body);
  const keyed = (value: Value): [string, Value][] => {
    const { entries } = object(value);
    budget.cells(entries.size * 2);
    // JavaScript orders integer keys first.
    for (const key of entries.keys())
      if (/^\d+$/.test(key)) return unsupported('an object with numbers as keys');
    return [...entries];
  };
  const state = (value: Value): Value => (noteLive(), [value, nothing]);
  return [
    ['undefined', undefined],
    ['NaN', Number.NaN],
    ['Infinity', Number.POSITIVE_INFINITY],
    ['user', new ObjectValue()],
    ['useState', native(([value]) => state(initial(value)))],
    ['useReducer', native(([, value, init]) => state(init === undefined ? value : call(init, [value])))],
    ['useMemo', native(([fn]) => call(fn, []))],
    ['useCallback', native(([fn]) => fn)],
    ['useRef', native(([value]) => (noteLive(), new ObjectValue([['current', value]])))],
    ['useEffect', effect],
    ['useLayoutEffect', effect],
    ['String', native((args) => (args.length === 0 ? '' : textOf(args[0])))],
    ['Boolean', native(([value]) => truthy(value))],
    [
      'Object',
      new ObjectValue([
        ['keys', native(([value]) => keyed(value).map(([key]) => key))],
        ['values', native(([value]) => keyed(value).map(([, item]) => item))],
        ['entries', native(([value]) => keyed(value).map(([key, item]) => [key, item]))],
      ]),
    ],
    [
      'Array',
      new ObjectValue([
        ['isArray', native(([value]) => Array.isArray(certain(value)))],
        ['from', native((args) => listFrom(args, budget, call))],
      ]),
    ],
    [
      'Math',
      new ObjectValue([
        ...(['floor', 'ceil', 'round', 'abs', 'min', 'max', 'trunc', 'sign', 'sqrt'] as const).map(
          (name): [string, Value] => {
            const work: (...values: number[]) => number = Math[name];
            return [name, native((args) => work(...args.map(number)))];
          },
        ),
        ['pow', native(([base, exponent]) => exactPower(number(base), number(exponent)))],
      ]),
    ],
  ];
}

/** Engines may round powers differently in the last digit; only integer powers are exact. */
export function exactPower(base: number, exponent: number): number {
  const power = base ** exponent;
  const isWhole = Number.isInteger(base) && Number.isInteger(exponent) && exponent >= 0;
  return isWhole && Number.isSafeInteger(power) ? power : unsupported('a power that is not a whole number');
}

function listFrom([source, fn]: Value[], budget: Budget, call: Call): Value[] {
  const isCallable = fn instanceof FunctionValue || fn instanceof NativeFunction;
  if (fn !== undefined && !isCallable)
    return unsupported('Array.from with a second argument that is not a function');
  const items = Array.isArray(source) ? source : undefined;
  const length = items ? items.length : number(object(source).get('length'));
  if (!(length >= 0 && Number.isInteger(length))) return unsupported('Array.from with this length');
  budget.cells(length);
  return Array.from({ length }, (_, index) => {
    const item = items?.[index];
    return fn === undefined ? item : call(fn, [item, index]);
  });
}

export function truthy(value: Value): boolean {
  return Boolean(value);
}

export function textOf(value: Value): string {
  if (typeof value === 'object' && value !== null) return unsupported('turning an object into text');
  return String(value);
}

export function isObject(value: Value): boolean {
  return typeof value === 'object' && value !== null;
}

function object(value: Value): ObjectValue {
  return value instanceof ObjectValue ? value : unsupported('this kind of value');
}

function primitive(value: Value): Value {
  return value instanceof ElementValue || value instanceof Foreign
    ? unsupported('comparing elements')
    : value;
}

/** Page content is one element or a list; only running code can distinguish them. */
function certain(value: Value): Value {
  return value instanceof Foreign ? unsupported('inspecting children') : value;
}

function string(value: Value): string {
  return typeof value === 'string' ? value : unsupported('a value that is not text');
}

function number(value: Value): number {
  return typeof value === 'number' ? value : unsupported('a value that is not a number');
}

function optionalNumber(value: Value): number | undefined {
  return value === undefined ? undefined : number(value);
}

function range(args: Value[]): [number | undefined, number | undefined] {
  return [optionalNumber(args[0]), optionalNumber(args[1])];
}

export function unsupported(what: string): never {
  throw new UnsupportedError(`${what} is not supported`);
}
