import { expect, it } from 'vitest';
import { compileModule } from '../program/compile.ts';
import { factoryOf } from '../program/factory.ts';
import { islandNeeds } from './needs.ts';
import type { IslandNeeds } from './page-islands.ts';

function needsOf(source: string): IslandNeeds {
  const factory = factoryOf(compileModule(source, () => undefined).code);
  return islandNeeds([{ id: 'a.jsx', factory }]);
}

function builtInsIn(source: string): unknown[] {
  return [...needsOf(source).builtins];
}

it('finds the built-in components that code names, with the properties that are written out', () => {
  const source = `const A = () => <div><Card title="T" cols={2} wide href={link} onClick={go}>words</Card><Tree.File name={\`f\`} /></div>`;
  expect(builtInsIn(source)).toEqual([
    { name: 'Card', props: { title: 'T', cols: 2, wide: true }, hasChildren: true },
    { name: 'Tree.File', props: { name: 'f' }, hasChildren: false },
  ]);
});

it('finds those that code takes from all of them, under the names it gives them', () => {
  const source = `const { Card, Tabs: Choice } = MintlifyComponents;
    const A = () => [<Card title="T" />, <Choice />, <MintlifyComponents.Note />]`;
  expect(builtInsIn(source)).toEqual([
    { name: 'Card', props: { title: 'T' }, hasChildren: false },
    { name: 'Tabs', props: {}, hasChildren: false },
    { name: 'Note', props: {}, hasChildren: false },
  ]);
});

it('finds both sides of a choice, and does not multiply without end', () => {
  expect(builtInsIn(`const A = () => <Icon icon={open ? 'up' : 'down'} />`)).toEqual([
    { name: 'Icon', props: { icon: 'up' }, hasChildren: false },
    { name: 'Icon', props: { icon: 'down' }, hasChildren: false },
  ]);
  const props = Array.from({ length: 30 }, (_, index) => `p${index}={a ? 1 : 2}`).join(' ');
  expect(builtInsIn(`const A = () => <Card ${props} />`).length).toBeLessThanOrEqual(8);
});

it('tells the same component once, and leaves elements and components of authors out', () => {
  expect(builtInsIn(`const B = () => <b/>; const A = () => [<Note/>, <Note/>, <B/>, <p/>]`)).toEqual([
    { name: 'Note', props: {}, hasChildren: false },
  ]);
});

it('lets code ask the hosts that it names, when it asks at all', () => {
  const drawing = `<svg xmlns="http://www.w3.org/2000/svg"/>`;
  expect(needsOf(`const A = () => [${drawing}, <a href="https://b.example/x"/>]`).hosts).toEqual([]);
  const asking = `const A = () => { fetch('https://a.example/x'); return ${drawing} }`;
  expect(needsOf(asking).hosts).toEqual(['https://a.example']);
});

it('finds pictures of other hosts', () => {
  const source = `const A = () => [<img src="https://p.example/a.png?x=1"/>, <a href="https://p.example/page"/>]`;
  expect(needsOf(source).pictures).toEqual(['https://p.example/a.png?x=1']);
});
