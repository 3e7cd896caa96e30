/** The files of a run that are no pages and no search index: made from what all pages gave, or taken over. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isDrawing, readDrawing } from '../assets/own-drawings.ts';
import { maskTooLarge, siteFileReader, withInlineMasks } from '../assets/inline-masks.ts';
import { maximumStylesheetBytes, prepareStylesheet, remotePicturesOf } from '../assets/references.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { unreachableEntries } from '../check/reachability.ts';
import { reasonFor, renamedFile, unusableName } from '../navigation/output-names.ts';
import { mathFiles } from '../math/files.ts';
import type { Before } from '../cache/replay.ts';
import type { WordEdit } from '../cache/word-edit.ts';
import type { OutputContext } from '../outputs/contract.ts';
import { siteOutputs } from '../outputs/site-outputs.ts';
import { markdownPath } from '../outputs/page-markdown.ts';
import { apiFiles } from '../theme/files.ts';
import { type RunEvent, old, text, diagnostic, eventOf } from './events.ts';
import type { Run } from './prepare.ts';

/** All files but the pages and the search index. */
export async function* filesAfterPages(run: Run): AsyncGenerator<RunEvent> {
  const { site, options, gathered, composer, names, written, before } = run;
  for (const { path, content } of composer.navigationFiles()) yield text(path, content, 'output');
  for (const item of unreachableEntries(composer.navigationOutput(), site.configFile)) yield diagnostic(item);
  for (const { path, content } of composer.islandScripts.files()) yield text(path, content, 'output');
  for (const { path, content } of run.customScripts.files()) yield text(path, content, 'output');
  for await (const item of siteOutputs(outputContext(run))) {
    if (!('finding' in item)) written.add(item.path);
    yield eventOf(item);
  }
  for (const { path, content } of apiFiles(gathered.features)) yield text(path, content, 'output');
  if (gathered.features.has('math'))
    for (const { path, content } of mathFiles(gathered.mathStyles)) yield text(path, content, 'output');
  yield* stylesheets(run);
  for (const [file, output] of outputsOf(run, gathered.assets)) {
    options.signal?.throwIfAborted();
    if (site.files.stylesheets.includes(file) || written.has(output)) continue;
    if (output !== file) yield diagnostic(renamedFile(file, output, reasonFor(file)));
    const problem = names.take(output);
    const drawing = isDrawing(file) ? readDrawing(join(site.root, file), file) : undefined;
    if (drawing !== undefined && 'finding' in drawing) yield diagnostic(drawing.finding);
    if (drawing?.kind === 'refused') continue;
    if (problem !== undefined) yield diagnostic(unusableName(file, problem));
    else if (before?.lastFiles.has(output) && options.memory?.hashes.isAsBefore(file))
      yield old([output], 'asset');
    else if (drawing?.kind === 'cleaned') yield text(output, drawing.content, 'asset');
    else
      yield {
        type: 'file',
        file: { path: output, content: { copyFrom: join(site.root, file) }, kind: 'asset' },
      };
  }
}

/** Where nothing but words was edited: what repeats them, and the names of all that stays. */
export async function* filesAfterWords(run: Run, before: Before, edit: WordEdit): AsyncGenerator<RunEvent> {
  const told = new Set<string>();
  for (const { output, route } of run.tasks) told.add(output).add(markdownPath(route));
  for (const feature of before.last.printed.features) run.print.features.add(feature);
  for await (const item of siteOutputs(outputContext(run), ({ repeatsPages }) => repeatsPages)) {
    if ('finding' in item) continue;
    told.add(item.path);
    yield eventOf(item);
  }
  yield old(edit.otherFiles(told), 'output');
}

function outputContext(run: Run): OutputContext {
  const { site, plan, addresses, composer, fullText, sections, print, socialImages, gathered, before } = run;
  return {
    site,
    plan,
    addresses,
    publicAddresses: composer.publicAddresses,
    fullText,
    lastSections: sections,
    print,
    socialImages,
    pages: plan.rendered.flatMap((route) => gathered.facts.get(route) ?? []),
    styles: gathered.styles,
    classes: gathered.classes,
    used: (file) => gathered.assets.has(file),
    fragmentOn: (route, fragment) => run.anchorLinks.fragmentOn(addresses.outputOf(route), fragment),
    styleFiles: run.pictures.style,
    readFile: siteFileReader(site.root, gathered.assets),
    isOld: before && ((path) => before.lastFiles.has(path)),
    signal: run.options.signal,
  };
}

/** Files that are shown, with the names they are written under, in the order of the files. */
function outputsOf({ plan }: Run, shown: Iterable<string>): [file: string, output: string][] {
  const outputs = new Map(plan.renamedFiles);
  const sources = new Map(plan.renamedFiles.map(([file, output]) => [output, file]));
  const isFile = outputs.size === 0 ? undefined : new Set(plan.files);
  // What the configuration names comes under its new name.
  const files = new Set(
    [...shown].map((name) => (isFile?.has(name) === false ? (sources.get(name) ?? name) : name)),
  );
  return [...files].toSorted().map((file) => [file, outputs.get(file) ?? file]);
}

async function* stylesheets(run: Run): AsyncGenerator<RunEvent> {
  const { site, links, gathered, names, fetchPictures } = run;
  for (const [file, output] of outputsOf(run, site.files.stylesheets)) {
    if (output !== file) yield diagnostic(renamedFile(file, output, reasonFor(file)));
    const problem = names.take(output);
    if (problem !== undefined) {
      yield diagnostic(unusableName(file, problem));
      continue;
    }
    const path = join(site.root, file);
    if (statSync(path).size > maximumStylesheetBytes) {
      yield diagnostic(tooLarge(file));
      continue;
    }
    const css = readFileSync(path, 'utf8');
    yield* fetchPictures(remotePicturesOf(css));
    const prepared = prepareStylesheet(css, file, links, output);
    for (const asset of prepared.assets) gathered.assets.add(asset);
    for (const item of prepared.diagnostics) yield diagnostic(item);
    const largeMasks = new Set<string>();
    const read = siteFileReader(site.root, new Set(prepared.assets), (mask) => largeMasks.add(mask));
    yield text(output, withInlineMasks(prepared.css, output, read), 'asset');
    for (const mask of largeMasks) yield diagnostic(maskTooLarge(mask, file));
  }
}

function tooLarge(file: string): Diagnostic {
  return {
    severity: 'warning',
    code: 'stylesheet_too_large',
    message: 'The stylesheet is larger than 2 MB and was left out',
    file,
    hint: 'Keep only the rules that pages of the site use.',
  };
}
