/** Light, dark, or as the system has it. The script in `index.html` applies the choice before the first paint. */
import { useState } from 'react';

export const schemes = ['system', 'light', 'dark'] as const;
export type Scheme = (typeof schemes)[number];

const storageName = 'docyard-scheme';

export function useScheme(): [Scheme, (scheme: Scheme) => void] {
  const [scheme, setScheme] = useState<Scheme>(kept);
  return [
    scheme,
    (chosen) => {
      setScheme(chosen);
      const { dataset } = document.documentElement;
      if (chosen === 'system') delete dataset['scheme'];
      else dataset['scheme'] = chosen;
      try {
        if (chosen === 'system') localStorage.removeItem(storageName);
        else localStorage.setItem(storageName, chosen);
      } catch {
        // The choice holds until the page is closed.
      }
    },
  ];
}

function kept(): Scheme {
  const { scheme } = document.documentElement.dataset;
  return schemes.find((each) => each === scheme) ?? 'system';
}
