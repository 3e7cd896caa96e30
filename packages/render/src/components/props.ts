/**
 * Reads element properties leniently: `cols={2}`, `cols="2"`, `required`, `required="true"`. It never throws.
 */
import { ObjectValue, type Value } from '../evaluate/values.ts';
import { iconText } from '../icons/reference.ts';

export class Props {
  readonly values: ObjectValue;

  constructor(values: ObjectValue = new ObjectValue()) {
    this.values = values;
  }

  without(...names: string[]): Props {
    return new Props(new ObjectValue([...this.values.entries].filter(([name]) => !names.includes(name))));
  }

  value(name: string): Value {
    return this.values.get(name);
  }

  has(name: string): boolean {
    return this.values.entries.has(name);
  }

  text(name: string): string | undefined {
    const value = this.values.get(name);
    if (typeof value === 'number') return String(value);
    return typeof value === 'string' && value.trim() !== '' ? value : undefined;
  }

  flag(name: string): boolean {
    const value = this.values.get(name);
    return value === true || value === '' || (typeof value === 'string' && value.toLowerCase() === 'true');
  }

  number(name: string): number | undefined {
    const value = Number(this.values.get(name));
    return this.text(name) !== undefined && Number.isFinite(value) ? value : undefined;
  }

  list(name: string): string[] {
    const value = this.values.get(name);
    if (typeof value === 'string') return value.split(',').map((item) => item.trim());
    return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
  }

  /** A name, an address, or an object with a name. */
  icon(name = 'icon'): string | undefined {
    const value = this.values.get(name);
    const style = this.values.get('iconType') ?? this.values.get('icontype');
    return iconText(value instanceof ObjectValue ? Object.fromEntries(value.entries) : value, style);
  }
}
