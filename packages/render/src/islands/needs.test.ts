import { expect, it } from 'vitest';
import { compileModule } from '../program/compile.ts';
import { factoryOf } from '../program/file.ts';
import { islandNeeds } from './needs.ts';
import type { IslandNeeds } from './page-islands.ts';

function needsOf(source: string): IslandNeeds {
  const factory = factoryOf(compileModule(source, () => undefined).code);
  return islandNeeds([{ id: 'a.jsx', factory }]);
}

function builtInsIn(source: string): unknown[] {
  return [...needsOf(source).builtins];
}

it('built-in components in code are found with their literal properties', () => {
  const source = `const A = () => <div><Card title="T" cols={2} wide href={link} onClick={go}>words</Card><Tree.File name={\`f\`} /></div>`;
  expect(builtInsIn(source)).toEqual([
    { name: 'Card', props: { title: 'T', cols: 2, wide: true }, hasChildren: true },
    { name: 'Tree.File', props: { name: 'f' }, hasChildren: false },
  ]);
});

it('built-in components from MintlifyComponents are found under their local names', () => {
  const source = `const { Card, Tabs: Choice } = MintlifyComponents;
    const A = () => [<Card title="T" />, <Choice />, <MintlifyComponents.Note />]`;
  expect(builtInsIn(source)).toEqual([
    { name: 'Card', props: { title: 'T' }, hasChildren: false },
    { name: 'Tabs', props: {}, hasChildren: false },
    { name: 'Note', props: {}, hasChildren: false },
  ]);
});

it('both alternatives of a conditional property are found, up to a limit', () => {
  expect(builtInsIn(`const A = () => <Icon icon={open ? 'up' : 'down'} />`)).toEqual([
    { name: 'Icon', props: { icon: 'up' }, hasChildren: false },
    { name: 'Icon', props: { icon: 'down' }, hasChildren: false },
  ]);
  const props = Array.from({ length: 30 }, (_, index) => `p${index}={a ? 1 : 2}`).join(' ');
  expect(builtInsIn(`const A = () => <Card ${props} />`).length).toBeLessThanOrEqual(8);
});

it('each built-in component is listed once, without HTML elements and own components', () => {
  expect(builtInsIn(`const B = () => <b/>; const A = () => [<Note/>, <Note/>, <B/>, <p/>]`)).toEqual([
    { name: 'Note', props: {}, hasChildren: false },
  ]);
});

it('code may contact the hosts it names if it makes requests', () => {
  const drawing = `<svg xmlns="http://www.w3.org/2000/svg"/>`;
  expect(needsOf(`const A = () => [${drawing}, <a href="https://b.example/x"/>]`).hosts).toEqual([]);
  const asking = `const A = () => { fetch('https://a.example/x'); return ${drawing} }`;
  expect(needsOf(asking).hosts).toEqual(['https://a.example']);
});

it('pictures of other hosts are found', () => {
  const source = `const A = () => [<img src="https://p.example/a.png?x=1"/>, <a href="https://p.example/page"/>]`;
  expect(needsOf(source).pictures).toEqual(['https://p.example/a.png?x=1']);
});
