/** The files of a site other than pages: navigation, scripts, outputs, stylesheets and assets. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isDrawing, readDrawing } from '../assets/site-drawings.ts';
import { maskTooLarge, siteFileReader, withInlineMasks } from '../assets/inline-masks.ts';
import { maxStylesheetBytes, prepareStylesheet, remotePicturesOf } from '../assets/references.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { unreachableEntries } from '../check/reachability.ts';
import { reasonFor, renamedFile, unusableName } from '../navigation/output-names.ts';
import { mathFiles } from '../math/files.ts';
import type { OutputContext } from '../outputs/contract.ts';
import { siteOutputs } from '../outputs/site-outputs.ts';
import { visibleSpec } from '../outputs/specs.ts';
import { apiFiles } from '../theme/files.ts';
import { type RunEvent, text, diagnostic, eventOf } from './events.ts';
import { type SiteBuild, fetchPictures } from './site-build.ts';
import type { SiteSummaries } from './site-summaries.ts';

export async function* siteFiles(build: SiteBuild, summaries: SiteSummaries): AsyncGenerator<RunEvent> {
  const { site, composer, customScripts, written } = build;
  for (const { path, content } of composer.navigationFiles()) yield text(path, content, 'output');
  for (const item of unreachableEntries(composer.navigationOutput(), site.configFile)) yield diagnostic(item);
  for (const { path, content } of composer.islandScripts.files()) yield text(path, content, 'output');
  for (const { path, content } of customScripts.files()) yield text(path, content, 'output');
  for await (const item of siteOutputs(outputContext(build, summaries))) {
    if (!('finding' in item)) written.add(item.path);
    yield eventOf(item);
  }
  const { features, mathStyles } = summaries;
  for (const { path, content } of apiFiles(features)) yield text(path, content, 'output');
  if (features.has('math'))
    for (const { path, content } of mathFiles(mathStyles)) yield text(path, content, 'output');
  yield* stylesheets(build, summaries);
  yield* assetFiles(build, summaries);
}

function* assetFiles(build: SiteBuild, { assets }: SiteSummaries): Generator<RunEvent> {
  const { site, options, names, written, frameFiles } = build;
  for (const file of frameFiles.take()) assets.add(file);
  for (const [file, output] of outputsOf(build, assets)) {
    options.signal?.throwIfAborted();
    if (site.files.stylesheets.includes(file) || written.has(output)) continue;
    if (output !== file) yield diagnostic(renamedFile(file, output, reasonFor(file)));
    const problem = names.take(output);
    const drawing = isDrawing(file) ? readDrawing(join(site.root, file), file) : undefined;
    if (drawing !== undefined && 'finding' in drawing) yield diagnostic(drawing.finding);
    if (drawing?.kind === 'refused') continue;
    const visible = visibleSpec(build, file);
    if (problem !== undefined) yield diagnostic(unusableName(file, problem));
    else if (drawing?.kind === 'cleaned') yield text(output, drawing.content, 'asset');
    else if (visible !== undefined) yield text(output, visible, 'asset');
    else
      yield {
        type: 'file',
        file: { path: output, content: { copyFrom: join(site.root, file) }, kind: 'asset' },
      };
  }
}

function outputContext(build: SiteBuild, summaries: SiteSummaries): OutputContext {
  const { site, plan, addresses, composer, socialImages, anchorLinks, pictures, options } = build;
  const { fullText, print, pages, styles, classes, assets } = summaries;
  return {
    site,
    plan,
    addresses,
    publicAddresses: composer.publicAddresses,
    fullText,
    print,
    socialImages,
    pages,
    styles,
    classes,
    used: (file) => assets.has(file),
    fragmentOn: (route, fragment) => anchorLinks.fragmentOn(addresses.outputOf(route), fragment),
    styleFiles: pictures.style,
    logo: pictures.logo,
    sourceFacts: options.sourceFacts,
    frameAt: (prefix) => composer.frameAt(prefix),
    readFile: siteFileReader(site.root, assets),
    cache: options.cache,
    signal: options.signal,
  };
}

function outputsOf({ plan }: SiteBuild, shown: Iterable<string>): [file: string, output: string][] {
  const outputs = new Map(plan.renamedFiles);
  const sources = new Map(plan.renamedFiles.map(([file, output]) => [output, file]));
  const isFile = outputs.size === 0 ? undefined : new Set(plan.files);
  // Files that the configuration names use their output name.
  const files = new Set(
    [...shown].map((name) => (isFile?.has(name) === false ? (sources.get(name) ?? name) : name)),
  );
  return [...files].toSorted().map((file) => [file, outputs.get(file) ?? file]);
}

async function* stylesheets(build: SiteBuild, { assets }: SiteSummaries): AsyncGenerator<RunEvent> {
  const { site, links, names } = build;
  for (const [file, output] of outputsOf(build, site.files.stylesheets)) {
    if (output !== file) yield diagnostic(renamedFile(file, output, reasonFor(file)));
    const problem = names.take(output);
    if (problem !== undefined) {
      yield diagnostic(unusableName(file, problem));
      continue;
    }
    const path = join(site.root, file);
    if (statSync(path).size > maxStylesheetBytes) {
      yield diagnostic(tooLarge(file));
      continue;
    }
    const css = readFileSync(path, 'utf8');
    for await (const { path: name, picture } of fetchPictures(build, remotePicturesOf(css)))
      yield text(name, picture, 'asset');
    const prepared = prepareStylesheet(css, file, links, output);
    for (const asset of prepared.assets) assets.add(asset);
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
