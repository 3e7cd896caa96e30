import { useState } from 'react';
import { CodeBlock } from './copy.tsx';
import { Tabs } from './tabs.tsx';

interface CodeTabsProps {
  label: string;
  forms: readonly (readonly [name: string, text: string])[];
  labelOf?: (name: string) => string;
}

export function CodeTabs({ label, forms, labelOf = (name) => name }: CodeTabsProps) {
  const [chosen, setChosen] = useState(forms[0]?.[0] ?? '');
  const tabs = forms.map(([name, text]) => ({
    name,
    label: name,
    show: <CodeBlock text={text} label={labelOf(name)} />,
  }));
  return <Tabs label={label} tabs={tabs} chosen={chosen} onChoose={setChosen} />;
}
