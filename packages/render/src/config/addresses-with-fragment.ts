/** Strings of a configuration that may be, or contain, an address with a fragment. */
export function addressesWithFragment(config: Readonly<Record<string, unknown>>): string[] {
  const found = new Set<string>();
  const collect = (value: unknown): void => {
    if (typeof value === 'string') {
      if (!value.includes('#')) return;
      for (const word of value.split(/[\s"'()<>[\]]/))
        if (word.indexOf('#') > 0 && !/^[a-z][a-z\d+.-]*:/i.test(word)) found.add(word);
    } else if (typeof value === 'object' && value !== null) Object.values(value).forEach(collect);
  };
  for (const [key, value] of Object.entries(config)) if (key !== 'redirects') collect(value);
  return [...found];
}
