/** Where GitHub returns after the user has confirmed the App. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useLocation, useParams } from 'wouter';
import { client } from '../../api/client.ts';
import { ApiCall } from '../../parts/api-call.tsx';
import { ButtonLink } from '../../parts/button.tsx';
import { Note } from '../../parts/note.tsx';
import { Page, Panel, Waiting } from '../../parts/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import './projects.css';

export function GithubAppReturn() {
  const { projectId = '' } = useParams();
  const [given] = useState(() => new URLSearchParams(globalThis.location.search));
  const [path, go] = useLocation();
  const queries = useQueryClient();
  const code = given.get('code');
  const state = given.get('state');
  const finish = useMutation({
    mutationFn: (body: { code: string; state: string }) =>
      client.call('finishGithubApp', { params: { projectId }, body }),
    onSuccess: () => void queries.invalidateQueries({ queryKey: ['project', projectId] }),
  });
  const isStarted = useRef(false);
  useEffect(() => {
    if (isStarted.current || code === null || state === null) return;
    isStarted.current = true;
    // The code is secret until it is exchanged, and must not stay in the history.
    go(path, { replace: true });
    finish.mutate({ code, state });
  }, [code, state, path, go, finish]);
  const automatic = `/projects/${projectId}?tab=automatic`;
  const isMissing = code === null || state === null;
  return (
    <Page title="GitHub App" crumbs={[{ to: automatic, label: 'Automatic exports' }]}>
      <Panel>
        {isMissing && <Note tone="bad">GitHub returned without a code. Start again in the project.</Note>}
        {!isMissing && finish.error === null && finish.data === undefined && <Waiting lines={3} />}
        {finish.error !== null && <Problem error={finish.error} />}
        {finish.data?.app && (
          <>
            <Note tone="good">
              {finish.data.app.name} is created. Install it on the repository, so that it reports events and
              can read the docs.
            </Note>
            <div className="project-actions">
              <ButtonLink to={finish.data.app.installUrl} look="primary" icon="external" outside>
                Install on GitHub
              </ButtonLink>
              <ButtonLink to={automatic}>Back to the project</ButtonLink>
            </div>
          </>
        )}
        {(isMissing || finish.error !== null) && (
          <div className="project-actions">
            <ButtonLink to={automatic} icon="back">
              Back to the project
            </ButtonLink>
          </div>
        )}
      </Panel>
      <ApiCall operation="readGithubApp" params={{ projectId }} />
    </Page>
  );
}
