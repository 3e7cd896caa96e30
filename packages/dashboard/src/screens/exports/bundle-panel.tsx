/** Download link, commands and deployment settings of a bundle. */
import type { Bundle, ExportJob } from '@docyard/api';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { useMay } from '../../session/session.tsx';
import { ApiCall } from '../../parts/api-call.tsx';
import { Button } from '../../parts/button.tsx';
import { CodeTabs } from '../../parts/code-tabs.tsx';
import { CodeBlock, CopyField } from '../../parts/copy.tsx';
import { SelectField } from '../../parts/field.tsx';
import { Badge, Note } from '../../parts/note.tsx';
import { Panel } from '../../parts/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { bytes, counted, span, useNow } from '../../parts/time.tsx';

const lifetimes = [
  { value: '3600', label: '1 hour' },
  { value: '86400', label: '1 day' },
  { value: '604800', label: '7 days' },
] as const;

export function BundlePanel({ job }: { job: ExportJob }) {
  const mayLink = useMay('exports:write');
  if (job.bundle === null) return null;
  return (
    <Panel
      title="Bundle"
      aside={
        <span className="soft">
          {bytes(job.bundle.sizeBytes)} in {counted(job.bundle.fileCount, 'file')}
        </span>
      }
    >
      <div>
        <p className="faint hash-name">SHA-256</p>
        <CopyField text={job.bundle.sha256} label="hash" />
      </div>
      {mayLink ? <Links job={job} /> : <Note tone="quiet">Members, admins and owners can create links.</Note>}
      <Ways job={job} />
    </Panel>
  );
}

function Links({ job }: { job: ExportJob }) {
  const { jobId } = job;
  const [ttl, setTtl] = useState<(typeof lifetimes)[number]['value']>('3600');
  const body = { ttlSeconds: Number(ttl) };
  const link = useMutation({ mutationFn: () => client.call('createBundle', { params: { jobId }, body }) });
  return (
    <>
      <div className="link-row">
        <SelectField
          label="Create a link that is valid for"
          value={ttl}
          onChange={setTtl}
          choices={lifetimes}
        />
        <Button
          icon={link.data === undefined ? 'plus' : 'repeat'}
          busy={link.isPending}
          onClick={() => link.mutate()}
        >
          {link.data === undefined ? 'Create link' : 'Renew'}
        </Button>
      </div>
      {link.error !== null && <Problem error={link.error} />}
      {link.data !== undefined && <SignedLink bundle={link.data} />}
      <ApiCall
        operation="createBundle"
        params={{ jobId }}
        body={body}
        command={`docyard export download ${jobId} --output bundle.tar.gz`}
      />
    </>
  );
}

export function SignedLink({ bundle }: { bundle: Bundle }) {
  const leftMs = Date.parse(bundle.expiresAt) - useNow(1000);
  const isOld = leftMs <= 0;
  return (
    <div className="signed-link">
      <CopyField text={bundle.bundleUrl} label="link" />
      <p className="signed-link-facts">
        <span role="timer" aria-label="Time until the link expires">
          {isOld ? (
            <Badge tone="bad">Expired</Badge>
          ) : (
            <Badge tone={leftMs < 300_000 ? 'warn' : 'good'}>{lasting(leftMs)}</Badge>
          )}
        </span>
        <span className="faint">{isOld ? 'Renew it.' : `${bytes(bundle.sizeBytes)}; needs no key.`}</span>
      </p>
      {!isOld && <CodeBlock label="download command" text={curlFor(bundle)} />}
    </div>
  );
}

function lasting(leftMs: number): string {
  const seconds = Math.ceil(leftMs / 1000);
  if (seconds <= 3600) return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')} left`;
  return `${span(leftMs)} left`;
}

function curlFor({ bundleUrl, sha256 }: Bundle): string {
  const file = new URL(bundleUrl).pathname.includes('/delta-') ? 'delta.tar.gz' : 'bundle.tar.gz';
  return `curl -fo ${file} '${bundleUrl}'\necho '${sha256}  ${file}' | sha256sum -c`;
}

/** Stable addresses for programs with an API key. */
function Ways({ job }: { job: ExportJob }) {
  const signing = useQuery({
    queryKey: ['signing-key'],
    queryFn: () => client.call('readSigningKey'),
    staleTime: Infinity,
  });
  const key = signing.data?.publicKey ?? '…';
  const forms = [
    ['site.yaml', siteValues(job, key)],
    ['Helm', helmLine(job, key)],
    ['curl', lastingCurl(job)],
  ] as const;
  return (
    <div>
      <h3>Deploy it</h3>
      <p className="soft">
        A deployment with an API key needs no expiring link: it downloads this export by its address, or
        follows the newest one.
      </p>
      <CodeTabs label="Ways to deploy" forms={forms} />
    </div>
  );
}

function siteValues(job: ExportJob, publicKey: string): string {
  const { origin } = globalThis.location;
  return [
    'staticExport:',
    '  enabled: true',
    `  bundleUrl: ${origin}/v1/static-export/jobs/${job.jobId}/bundle`,
    ...(job.version === null ? [] : [`  version: ${JSON.stringify(job.version)}`]),
    `  # Or always the latest one:`,
    `  # refreshFrom: ${origin}/v1/static-export/latest/bundle?domain=${job.domain}`,
    `  publicKey: ${publicKey}`,
    `  apiKeyFile: /etc/docyard/api-key`,
  ].join('\n');
}

function helmLine(job: ExportJob, publicKey: string): string {
  const { origin } = globalThis.location;
  return [
    'helm upgrade --install docs deploy/helm/docyard-site',
    `--set staticExport.bundleUrl=${origin}/v1/static-export/jobs/${job.jobId}/bundle`,
    ...(job.version === null ? [] : [`--set-string staticExport.version=${JSON.stringify(job.version)}`]),
    `--set-string staticExport.publicKey=${publicKey}`,
    `--set staticExport.apiKey.existingSecret=docs-key`,
  ].join(' \\\n  ');
}

function lastingCurl({ jobId }: ExportJob): string {
  const { origin } = globalThis.location;
  return `curl -fL -o bundle.tar.gz \\\n  -H "Authorization: Bearer $DOCYARD_API_KEY" \\\n  ${origin}/v1/static-export/jobs/${jobId}/bundle`;
}
