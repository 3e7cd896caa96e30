/** The same thing in several forms of text, one at a time. */
import { Tabs } from '@base-ui/react/tabs';
import { CodeBlock } from './copy.tsx';

interface CodeTabsProps {
  /** What the tabs are a choice of. */
  label: string;
  forms: readonly (readonly [name: string, text: string])[];
  /** How a block of that name is called. */
  labelOf?: (name: string) => string;
}

export function CodeTabs({ label, forms, labelOf = (name) => name }: CodeTabsProps) {
  return (
    <Tabs.Root defaultValue={forms[0]?.[0]}>
      <Tabs.List className="tabs" aria-label={label}>
        {forms.map(([name]) => (
          <Tabs.Tab key={name} value={name} className="tab">
            {name}
          </Tabs.Tab>
        ))}
        <Tabs.Indicator className="tab-line" renderBeforeHydration={false} />
      </Tabs.List>
      {forms.map(([name, text]) => (
        <Tabs.Panel key={name} value={name} className="tab-panel">
          <CodeBlock text={text} label={labelOf(name)} />
        </Tabs.Panel>
      ))}
    </Tabs.Root>
  );
}
