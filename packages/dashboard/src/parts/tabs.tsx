import { useEffect, useId, useRef, type ReactNode } from 'react';
import { moveFocus } from './arrow-keys.ts';

export interface Tab {
  name: string;
  label: ReactNode;
  show: ReactNode;
}

interface TabsProps {
  label: string;
  tabs: readonly Tab[];
  chosen: string;
  onChoose: (name: string) => void;
  className?: string;
}

export function Tabs({ label, tabs, chosen, onChoose, className = '' }: TabsProps) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // Scroll the selected tab into view without moving the page.
    const along = list.current;
    const tab = along?.querySelector('[aria-selected="true"]');
    if (!along || !tab) return;
    const [edge, place] = [along.getBoundingClientRect(), tab.getBoundingClientRect()];
    along.scrollLeft += Math.max(0, place.right - edge.right) + Math.min(0, place.left - edge.left);
  }, [chosen]);
  return (
    <div>
      <div ref={list} className="tabs" role="tablist" aria-label={label} onKeyDown={moveFocus}>
        {tabs.map((tab) => (
          <button
            key={tab.name}
            type="button"
            role="tab"
            id={`${id}-${tab.name}`}
            className="tab"
            aria-selected={tab.name === chosen}
            aria-controls={`${id}-panel`}
            tabIndex={tab.name === chosen ? 0 : -1}
            onClick={() => onChoose(tab.name)}
          >
            {tab.label}
          </button>
        ))}
      </div>
      <div
        // The key resets the state of the panel when the tab changes.
        key={chosen}
        id={`${id}-panel`}
        role="tabpanel"
        aria-labelledby={`${id}-${chosen}`}
        className={`tab-panel ${className}`}
      >
        {tabs.find(({ name }) => name === chosen)?.show}
      </div>
    </div>
  );
}
