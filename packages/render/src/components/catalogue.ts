/**
 * Built-in components by the names that authors write. "Add a component" in docs/internals/recipes.mdx lists the steps.
 */
import { accordion, accordionGroup, expandable } from './disclosure.ts';
import { callout, calloutKinds, isCalloutName } from './callouts.ts';
import { card, cardGroup, column, tile } from './cards.ts';
import {
  banner,
  codeBlock,
  example,
  heading,
  latex,
  markdownText,
  mermaid,
  panel,
  repository,
  view,
  visibility,
} from './blocks.ts';
import { color, colorItem, colorRow } from './colors.ts';
import { tree, treeFile, treeFolder } from './file-tree.ts';
import { badge, button, icon, link, tooltip } from './inline.ts';
import { picture, frame } from './images.ts';
import { promptBox } from './prompt.ts';
import { codeGroup, tab, tabs } from './tabs.ts';
import { paramField, responseField } from './fields.ts';
import { step, steps } from './steps.ts';
import { update } from './update.ts';
import type { Component } from './contract.ts';

export const catalogue: ReadonlyMap<string, Component> = new Map<string, Component>([
  ...Object.keys(calloutKinds).map((name) => [name, callout] as const),
  ['Callout', callout],
  ['Accordion', accordion],
  ['AccordionGroup', accordionGroup],
  ['Badge', badge],
  ['Banner', banner],
  ['Button', button],
  ['Card', card],
  ['CardGroup', cardGroup],
  ['Card.Group', cardGroup],
  ['Cards', cardGroup],
  ['Columns', cardGroup],
  ['Column', column],
  ['CodeBlock', codeBlock],
  ['CodeGroup', codeGroup],
  ['SnippetGroup', codeGroup],
  ['Color', color],
  ['Color.Row', colorRow],
  ['Color.Item', colorItem],
  ['Divider', () => '<hr>'],
  ['Expandable', expandable],
  ['FileTree', tree],
  ['FileTree.File', treeFile],
  ['FileTree.Folder', treeFolder],
  ['GitHub.Repo', repository],
  ['Github', repository],
  ['GitHub', repository],
  ['Heading', heading],
  ['Frame', frame],
  ['Example', frame],
  ['Icon', icon],
  ['Image', picture],
  ['LaTeX', latex],
  ['Latex', latex],
  ['Link', link],
  ['MDX', markdownText],
  ['Mermaid', mermaid],
  ['Panel', panel],
  ['Param', paramField],
  ['ParamField', paramField],
  ['Prompt', promptBox],
  ['RequestExample', example],
  ['ResponseExample', example],
  ['ResponseField', responseField],
  ['Step', step],
  ['Steps', steps],
  ['Tab', tab],
  ['TabItem', tab],
  ['Tabs.Tab', tab],
  ['Tabs', tabs],
  ['Tile', tile],
  ['Tooltip', tooltip],
  ['Tree', tree],
  ['Tree.File', treeFile],
  ['Tree.Folder', treeFolder],
  ['Update', update],
  ['View', view],
  ['Visibility', visibility],
]);

/** `INfo`, `Important`, `Alert`: callouts in another spelling or under another product's name. */
export function calloutLike(name: string): Component | undefined {
  return isCalloutName(name) ? callout : undefined;
}
