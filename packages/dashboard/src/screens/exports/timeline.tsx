import type { ExportJob } from '@docyard/api';
import { Panel } from '../../parts/page.tsx';
import { span, useNow } from '../../parts/time.tsx';
import { isOver } from './use-export.ts';
import { phaseNames } from './status.tsx';
import { phaseSpans, type PhaseSpan, type ExportHistory } from './export-history.ts';

export function Timeline({ job, trail }: { job: ExportJob; trail: ExportHistory }) {
  // The browser clock may be behind the server clock.
  const now = Math.max(useNow(isOver(job) ? 60_000 : 500), Date.parse(job.updatedAt));
  const spans = phaseSpans(trail, job, now);
  const beginMs = Date.parse(job.createdAt);
  const endMs = job.finishedAt === null ? now : Date.parse(job.finishedAt);
  const wholeMs = Math.max(1, endMs - beginMs);
  return (
    <Panel title="Timeline" aside={<span className="soft">{span(endMs - beginMs)} in all</span>}>
      <ol className="timeline">
        {spans.map((each) => (
          <li key={each.phase} className={`timeline-row timeline-${each.state}`}>
            <span className="timeline-name">{phaseNames[each.phase]}</span>
            <span className="timeline-track" aria-hidden="true">
              <Bar each={each} beginMs={beginMs} wholeMs={wholeMs} />
            </span>
            <span className="timeline-time">{timeOf(each)}</span>
          </li>
        ))}
      </ol>
    </Panel>
  );
}

function Bar({ each, beginMs, wholeMs }: { each: PhaseSpan; beginMs: number; wholeMs: number }) {
  if (each.fromMs === undefined || each.toMs === undefined) return null;
  const left = ((each.fromMs - beginMs) / wholeMs) * 100;
  const width = ((each.toMs - each.fromMs) / wholeMs) * 100;
  return <span className="timeline-bar" style={{ left: `${left}%`, width: `max(3px, ${width}%)` }} />;
}

function timeOf({ state, fromMs, toMs }: PhaseSpan): string {
  if (state === 'ahead') return '–';
  const time = fromMs === undefined || toMs === undefined ? '' : span(toMs - fromMs);
  return state === 'stopped' ? `${time} · stopped` : time === '' ? 'not kept' : time;
}
