import type { Project } from '@docyard/api';
import { useMay } from '../../session/session.tsx';
import { Note } from '../../parts/note.tsx';
import { AgentRules } from './agent-rules.tsx';
import { CommitSettings } from './commit-settings.tsx';
import { ContextSettings } from './context-settings.tsx';
import { EngineSettings } from './engine-settings.tsx';
import { ForgeSettings } from './forge-settings.tsx';
import { ModelSettings } from './model-settings.tsx';
import { PullRequestSettings } from './pull-request-settings.tsx';

export function AgentSettings({ project }: { project: Project }) {
  const mayWrite = useMay('projects:write');
  if (!mayWrite) return <Note tone="quiet">Members, admins and owners can change the agent settings.</Note>;
  return (
    <>
      <EngineSettings project={project} />
      <ModelSettings project={project} />
      <ForgeSettings project={project} />
      <ContextSettings project={project} />
      <CommitSettings project={project} />
      <PullRequestSettings project={project} />
      <AgentRules project={project} />
    </>
  );
}
