/** The exported site in a sandboxed frame: its scripts run without cookies and without access to this page. */
import type { CreatePreview, ExportJob, PreviewAudience } from '@docyard/api';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { client } from '../../api/client.ts';
import { ApiCall, quoted } from '../../parts/api-call.tsx';
import { Button, ButtonLink, IconButton } from '../../parts/button.tsx';
import { SelectField } from '../../parts/field.tsx';
import { Icon } from '../../parts/icons.tsx';
import { Note } from '../../parts/note.tsx';
import { Waiting } from '../../parts/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Segments } from '../../parts/segments.tsx';
import { useNow } from '../../parts/time.tsx';

type Width = 'desktop' | 'tablet' | 'phone';

export function usePreview(jobId: string, body?: CreatePreview) {
  return useQuery({
    queryKey: ['export', jobId, 'preview', body],
    queryFn: () =>
      client.call('createPreview', { params: { jobId }, ...(body === undefined ? {} : { body }) }),
    // A new path would reload the site while it is being read.
    staleTime: Infinity,
    refetchOnWindowFocus: false,
  });
}

export function Preview({ job: { jobId, domain } }: { job: ExportJob }) {
  const [width, setWidth] = useState<Width>('desktop');
  const [search, setSearch] = useSearchParams();
  const [round, setRound] = useState(0);
  const audiences = usePreview(jobId).data?.audiences ?? [];
  const chosen = audiences.slice(1).find((each) => textOf(each) === search.get('as'));
  const preview = usePreview(jobId, chosen);
  const now = useNow(10_000);
  const isOld = preview.data !== undefined && Date.parse(preview.data.expiresAt) <= now;
  const renew = () => {
    setRound(round + 1);
    if (isOld) void preview.refetch();
  };
  const viewAs = (audience: string) =>
    setSearch((before) => {
      const after = new URLSearchParams(before);
      if (audience === '') after.delete('as');
      else after.set('as', audience);
      return after;
    });
  const page = search.get('page') ?? '';
  const address = preview.data === undefined ? undefined : previewAddress(preview.data.previewUrl, page);
  return (
    <>
      <div className="filters">
        <div className="preview-choices">
          <Segments<Width>
            label="Width of the preview"
            value={width}
            onChange={setWidth}
            segments={[
              { value: 'desktop', label: 'Desktop' },
              { value: 'tablet', label: 'Tablet' },
              { value: 'phone', label: 'Phone' },
            ]}
          />
          {audiences.length > 1 && (
            <SelectField
              label="View as"
              value={chosen === undefined ? '' : textOf(chosen)}
              onChange={viewAs}
              choices={audiences.map((each, place) => ({
                value: place === 0 ? '' : textOf(each),
                label: audienceName(each),
              }))}
            />
          )}
        </div>
        {address === undefined || isOld ? (
          <Button look="quiet" icon="external" disabled>
            Open alone
          </Button>
        ) : (
          <ButtonLink to={address} look="quiet" icon="external" outside>
            Open alone
          </ButtonLink>
        )}
      </div>
      {preview.error !== null ? (
        <Problem error={preview.error} retry={() => void preview.refetch()} />
      ) : (
        <div className={`preview preview-${width}`}>
          <div className="preview-bar">
            <IconButton icon="repeat" label="Load again" onClick={renew} />
            <span className="preview-address">
              <Icon name="shield" />
              {domain}
              {page === '' ? '' : `/${page}`}
            </span>
          </div>
          {isOld ? (
            <div className="panel-inside">
              <Note tone="warn">
                This preview has expired. <Button onClick={renew}>Open it again</Button>
              </Note>
            </div>
          ) : address === undefined ? (
            <div className="preview-wait">
              <Waiting lines={8} />
              <p className="soft" role="status">
                Unpacking the bundle…
              </p>
            </div>
          ) : (
            <iframe
              key={`${round} ${address}`}
              className="preview-frame"
              title={`Preview of ${domain}`}
              src={address}
              sandbox={previewSandbox(address)}
            />
          )}
        </div>
      )}
      <ApiCall
        operation="createPreview"
        params={{ jobId }}
        {...(chosen === undefined ? {} : { body: chosen })}
        {...commandFor(jobId, chosen)}
      />
    </>
  );
}

function audienceName({ audience, signedIn }: PreviewAudience): string {
  if (!signedIn) return 'Not signed in';
  return audience.length === 0 ? 'Everyone without a group' : audience.join(' + ');
}

/** In the address of the screen. */
function textOf({ audience, signedIn }: PreviewAudience): string {
  return signedIn ? JSON.stringify(audience) : 'not-signed-in';
}

function commandFor(jobId: string, chosen: PreviewAudience | undefined): { command?: string } {
  if (chosen === undefined)
    return { command: `docyard export download ${jobId} && docyard open bundle.tar.gz` };
  if (!chosen.signedIn) return {};
  return { command: `docyard open ${jobId} --audience ${chosen.audience.map(quoted).join(' ')}` };
}

/** On the origin of the dashboard, a window outside the sandbox could act as the dashboard. */
export function previewSandbox(address: string): string {
  const isOwnOrigin = new URL(address).origin === globalThis.location.origin;
  return isOwnOrigin ? 'allow-scripts' : 'allow-scripts allow-popups allow-popups-to-escape-sandbox';
}

/** A path below the path of the preview. It must not escape from it. */
export function previewAddress(previewUrl: string, page = ''): string {
  const base = new URL(previewUrl.endsWith('/') ? previewUrl : `${previewUrl}/`, globalThis.location.origin);
  const url = new URL(page.split('/').map(encodeURIComponent).join('/'), base);
  return url.pathname.startsWith(base.pathname) ? url.href : base.href;
}
