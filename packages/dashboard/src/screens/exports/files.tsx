import type { ExportJob } from '@docyard/api';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { Link } from 'wouter';
import { client } from '../../api/client.ts';
import { ApiCall } from '../../parts/api-call.tsx';
import { Button } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy.tsx';
import { TextField } from '../../parts/field.tsx';
import { Icon } from '../../parts/icons.tsx';
import { Panel, Waiting } from '../../parts/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { bytes, counted } from '../../parts/time.tsx';
import { nameOf, treeOf, type Folder, type ManifestFile } from './file-tree.ts';

/** Rows that are shown before "Show more". */
const rowsAtOnce = 200;

export function Files({ job: { jobId } }: { job: ExportJob }) {
  const [text, setText] = useState('');
  const manifest = useQuery({
    queryKey: ['export', jobId, 'manifest'],
    queryFn: () => client.call('readManifest', { params: { jobId } }),
    staleTime: Infinity,
  });
  const files = manifest.data?.files;
  const root = useMemo(() => (files === undefined ? undefined : treeOf(files)), [files]);
  const searchText = text.trim().toLowerCase();
  const found = useMemo(
    () =>
      searchText === '' ? [] : (files ?? []).filter(({ path }) => path.toLowerCase().includes(searchText)),
    [files, searchText],
  );
  if (manifest.error !== null)
    return <Problem error={manifest.error} retry={() => void manifest.refetch()} />;
  return (
    <>
      <Panel
        title="Files"
        flush
        aside={
          <div className="files-aside">
            <span className="soft" aria-live="polite">
              {root === undefined
                ? 'Counting files…'
                : searchText === ''
                  ? `${counted(root.fileCount, 'file')}, ${bytes(root.sizeBytes)}`
                  : counted(found.length, 'file')}
            </span>
            <TextField
              label="Search files"
              quiet
              type="search"
              placeholder="Search files"
              value={text}
              onChange={setText}
            />
          </div>
        }
      >
        {root === undefined ? (
          <Waiting lines={10} />
        ) : searchText === '' ? (
          <ul className="tree" aria-label="Files of the bundle">
            <Inside folder={root} jobId={jobId} depth={0} />
          </ul>
        ) : found.length === 0 ? (
          <p className="panel-inside soft">No file has “{text.trim()}” in its path.</p>
        ) : (
          <ul className="tree" aria-label="Matching files">
            <FileRows files={found} jobId={jobId} depth={0} whole />
          </ul>
        )}
      </Panel>
      {root !== undefined && <ApiCall operation="readManifest" params={{ jobId }} />}
    </>
  );
}

function Inside({ folder, jobId, depth }: { folder: Folder; jobId: string; depth: number }) {
  return (
    <>
      {folder.folders.map((each) => (
        <FolderRow key={each.path} folder={each} jobId={jobId} depth={depth} />
      ))}
      <FileRows files={folder.files} jobId={jobId} depth={depth} />
    </>
  );
}

function FolderRow({ folder, jobId, depth }: { folder: Folder; jobId: string; depth: number }) {
  const [open, setOpen] = useState(false);
  return (
    <li>
      <button
        type="button"
        className="tree-row tree-folder"
        style={{ paddingInlineStart: indent(depth) }}
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        <Icon name="chevron" />
        <Icon name="folder" />
        <span className="tree-name">{folder.name}</span>
        <span className="tree-count faint">{counted(folder.fileCount, 'file')}</span>
        <span className="tree-size">{bytes(folder.sizeBytes)}</span>
      </button>
      {open && (
        <ul>
          <Inside folder={folder} jobId={jobId} depth={depth + 1} />
        </ul>
      )}
    </li>
  );
}

interface FileRowsProps {
  files: readonly ManifestFile[];
  jobId: string;
  depth: number;
  whole?: boolean;
}

function FileRows({ files, jobId, depth, whole = false }: FileRowsProps) {
  const [shown, setShown] = useState(rowsAtOnce);
  return (
    <>
      {files.slice(0, shown).map((file) => (
        <li key={file.path} className="tree-row tree-file" style={{ paddingInlineStart: indent(depth) }}>
          <Icon name="file" />
          <span className="tree-name">
            {file.path.endsWith('.html') ? (
              <Link to={`/exports/${jobId}?tab=preview&page=${encodeURIComponent(file.path)}`}>
                {whole ? file.path : nameOf(file.path)}
              </Link>
            ) : whole ? (
              file.path
            ) : (
              nameOf(file.path)
            )}
          </span>
          <span className="tree-hash mono faint" title={file.sha256}>
            {file.sha256.slice(0, 10)}
            <CopyButton text={file.sha256} label={`Copy the hash of ${file.path}`} />
          </span>
          <span className="tree-size">{bytes(file.sizeBytes)}</span>
        </li>
      ))}
      {files.length > shown && (
        <li className="table-more">
          <Button onClick={() => setShown(shown + rowsAtOnce)}>
            Show {Math.min(rowsAtOnce, files.length - shown)} more of {files.length.toLocaleString('en')}
          </Button>
        </li>
      )}
    </>
  );
}

function indent(depth: number): string {
  // Limit the indentation of deep folders on narrow screens.
  return `calc(var(--space-4) + ${Math.min(depth, 8)} * var(--tree-step))`;
}
