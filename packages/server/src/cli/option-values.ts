/** Values of options that are read from files or written as name=number. */
import { readFileSync } from 'node:fs';
import { fileErrorReason } from '@docyard/site/disk';
import { CommandError } from './errors.ts';

export function textIn(file: string, option: string): string {
  let text: string;
  try {
    text = readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch (error) {
    throw new CommandError(`${option}: cannot read ${file}: ${fileErrorReason(error)}.`);
  }
  if (text.trim() === '') throw new CommandError(`${option} ${file} is empty.`);
  return text;
}

export function jsonIn(text: string, option: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new CommandError(`${option}: the file is not JSON.`);
  }
}

export function numbersIn(given: string[] | undefined, option: string): Record<string, number> | undefined {
  return (
    given &&
    Object.fromEntries(
      given.map((text) => {
        const [, name, number] = /^([a-zA-Z]+)=(\d{1,9}(?:\.\d{1,9})?)$/.exec(text) ?? [];
        if (name === undefined)
          throw new CommandError(`${option} ${text}: write it as name=number.`, 'usage');
        return [name, Number(number)];
      }),
    )
  );
}

export function definedOnly(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([, part]) => part !== undefined));
}

/** The value of a list option that `--no-…` empties. */
export function listOf(given: string[] | false | undefined): string[] | undefined {
  return given === false ? [] : given;
}

export function shownList(items: readonly string[]): string {
  return items.length === 0 ? 'none' : items.join(', ');
}
