import type { ExportJob } from '@docyard/api';
import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { client } from '../../api/client.ts';
import { Icon } from '../../parts/icons.tsx';
import { Badge } from '../../parts/note.tsx';
import { Waiting } from '../../parts/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Counts, DiffLines } from '../agent/diff-view.tsx';
import { readPatch } from '../agent/patch.ts';

const tones = { added: 'good', changed: 'info', removed: 'bad' } as const;

export interface ComparedPage {
  path: string;
  title: string | null;
  change: keyof typeof tones;
  oldTitle?: string | undefined;
}

interface PageDiffProps {
  job: Pick<ExportJob, 'jobId'>;
  otherId: string;
  page: ComparedPage;
  defaultOpen?: boolean;
}

export function PageDiff({ job, otherId, page, defaultOpen = false }: PageDiffProps) {
  const id = useId();
  const [isOpen, setOpen] = useState(defaultOpen);
  return (
    <li className="page-diff">
      <button
        type="button"
        className="page-diff-head"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name="chevron" />
        <Badge tone={tones[page.change]}>{page.change}</Badge>
        <span className="change-title">
          {page.title ?? page.path}
          {page.oldTitle !== undefined && <span className="faint"> was “{page.oldTitle}”</span>}
        </span>
        <span className="change-path mono faint">{page.title === null ? '' : page.path}</span>
      </button>
      {isOpen && (
        <div id={id} className="page-diff-text">
          <PageText jobId={job.jobId} otherId={otherId} path={page.path} />
        </div>
      )}
    </li>
  );
}

function PageText({ jobId, otherId, path }: { jobId: string; otherId: string; path: string }) {
  const query = { path, with: otherId };
  const change = useQuery({
    queryKey: ['export', jobId, 'compare', otherId, path],
    queryFn: () => client.call('readPageChange', { params: { jobId }, query }),
    staleTime: Infinity,
  });
  if (change.error !== null) return <Problem error={change.error} retry={() => void change.refetch()} />;
  if (change.data === undefined) return <Waiting lines={4} />;
  const { patch, addedLines, removedLines, truncated } = change.data;
  const [file] = readPatch(patch);
  return (
    <>
      <p className="page-diff-counts">
        <Counts added={addedLines} removed={removedLines} />
        {truncated && <span className="faint"> The page is too long to show all changes.</span>}
      </p>
      <DiffLines path={path} patch={file} isSplit={false} />
    </>
  );
}
