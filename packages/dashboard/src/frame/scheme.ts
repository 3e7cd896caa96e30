/** The color scheme. The script in `index.html` applies the stored choice before the first paint. */
import { useState } from 'react';

export const schemes = ['system', 'light', 'dark'] as const;
export type Scheme = (typeof schemes)[number];

const storageName = 'docyard-scheme';

export function useScheme(): [Scheme, (scheme: Scheme) => void] {
  const [scheme, setScheme] = useState<Scheme>(storedScheme);
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
        // Storage may be blocked; the choice then lasts until the page is closed.
      }
    },
  ];
}

function storedScheme(): Scheme {
  const { scheme } = document.documentElement.dataset;
  return schemes.find((each) => each === scheme) ?? 'system';
}
