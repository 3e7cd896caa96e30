/** Composes a rendered page with its frame and collects its contributions to the site. */
import type { PageDependencies, RenderedPage } from '../model/finished-page.ts';
import type { PageResult, PageTask } from '../model/page.ts';
import { inMemory } from '../model/file-content.ts';
import { markdownFile } from '../outputs/page-markdown.ts';
import { encodedPieces, encodedText, encodedWithPlaces } from '../text/encoded-text.ts';
import { textOfHtml } from '../text/html.ts';
import { sharedIfEmpty } from '../text/compact-values.ts';
import { wholePage } from '../theme/shell.ts';
import type { SiteBuild } from './site-build.ts';

const emptyRange = [0, 0] as const;

export function finishPage(
  build: SiteBuild,
  task: PageTask,
  { result: rendered, isRepeatable }: { result: PageResult; isRepeatable: boolean },
): RenderedPage {
  const { anchorLinks, composer, check, frameFiles } = build;
  const result = anchorLinks.corrected(task.output, rendered);
  const document = composer.compose(task, result);
  const { bytes: html, places } = encodedWithPlaces(wholePage(document));
  const shown = textOfHtml(result.description);
  // Sharing one string saves memory.
  const description = shown === task.description ? task.description : shown;
  const { route, title } = task;
  const { summary, updates, failed, markdown: body } = result;
  const { head, pieces } = markdownFile({ route, title, description, failed }, body);
  const markdown = encodedPieces(pieces);
  const bodyStart = encodedText(head).length + 2;
  return {
    task,
    html: inMemory(html),
    markdown: inMemory(markdown),
    summary: {
      assets: [...result.assets, ...frameFiles.take()],
      styles: result.styles,
      classes: result.classes,
      mathStyles: result.mathStyles,
      features: result.features,
      diagnostics: result.diagnostics,
      description,
      summary,
      updates: sharedIfEmpty(updates),
      failed,
      ids: rendered.content.ids,
      search: result.search,
      check: check.checkPage(task, result, { document, bytes: html.length, markdownHead: head }),
      usesSocialImage: composer.usedSocialImage,
      followed: composer.followedBy(task, result),
      places: {
        html: places.get(result.html) ?? emptyRange,
        aside: places.get(result.aside) ?? emptyRange,
        markdown: body.length === 0 ? emptyRange : [bodyStart, bodyStart + body.length],
      },
      lead: (result.description ? `<p class="dy-lead">${result.description}</p>` : '') + result.bar,
    },
    dependencies: dependenciesOf(build, task, { result: rendered, isRepeatable }),
    milliseconds: result.milliseconds ?? 0,
  };
}

function dependenciesOf(
  { anchorLinks, plan }: SiteBuild,
  { output }: PageTask,
  { result, isRepeatable }: { result: PageResult; isRepeatable: boolean },
): PageDependencies {
  const { failed, islands, tier, sourceFiles, assets, content } = result;
  const isStatic = !failed && !islands && tier !== 'run' && tier !== 'refused';
  return {
    files: isRepeatable && isStatic && sourceFiles ? [...new Set([...sourceFiles, ...assets])] : undefined,
    targets: anchorLinks
      .awaitedBy(output, content)
      .map((target) => [target, anchorLinks.idsHashOf(target)] as const),
    clockMs: tier === 'none' ? undefined : plan.clockMs,
  };
}
