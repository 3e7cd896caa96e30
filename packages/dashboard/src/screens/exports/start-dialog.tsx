import type { ExportJob, Project, StartExport } from '@docyard/api';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { client } from '../../api/client.ts';
import { ApiCall, quoted } from '../../parts/api-call.tsx';
import { Button, ButtonLink } from '../../parts/button.tsx';
import { Dialog, DialogActions } from '../../parts/dialog.tsx';
import { Disclosure } from '../../parts/disclosure.tsx';
import { CheckField, fieldError, SelectField, TextField, type Choice } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { Note } from '../../parts/note.tsx';
import { Problem } from '../../parts/problem.tsx';
import { ProjectPicker } from '../projects/project-picker.tsx';
import { useFirstProjects, useProject, useProjectOfDomain } from '../projects/use-projects.ts';

interface StartDialogProps {
  open: boolean;
  projectId: string | null;
  domain: string | null;
  onClose: () => void;
}

export function StartDialog({ open, projectId, domain, onClose }: StartDialogProps) {
  const first = useFirstProjects();
  const byId = useProject(projectId ?? '');
  const byDomain = useProjectOfDomain(projectId === null ? domain : null);
  const isRequested = projectId !== null || domain !== null;
  const requested = projectId === null ? byDomain : byId;
  const isReady = !first.isPending && (!isRequested || !requested.isPending);
  const only = first.data?.length === 1 ? first.data[0] : undefined;
  return (
    <Dialog
      // Mounted with its form, so that the first field gets the focus.
      open={open && isReady}
      onClose={onClose}
      title="Start an export"
      lead="Creates a bundle of static files from the site of a project."
      wide
    >
      {first.data === undefined ? (
        <Problem error={first.error} retry={() => void first.refetch()} />
      ) : first.data.length === 0 ? (
        <>
          <Note tone="info">An export needs a project: a repository with a docs.json, and a domain.</Note>
          <DialogActions>
            <ButtonLink to="/projects?new=1" look="primary" icon="plus">
              Create a project
            </ButtonLink>
          </DialogActions>
        </>
      ) : (
        <StartForm
          requested={isRequested ? (requested.data ?? undefined) : only}
          missing={isRequested && !requested.data ? (projectId ?? domain ?? '') : undefined}
          onClose={onClose}
        />
      )}
    </Dialog>
  );
}

const urlStyles: Choice<NonNullable<StartExport['urlStyle']>>[] = [
  { value: 'html', label: 'guide.html', hint: 'works everywhere' },
  { value: 'directory', label: 'guide/', hint: 'for web servers' },
  { value: 'clean', label: 'guide', hint: 'for hosts that add .html' },
];

interface StartFields {
  ref: string;
  version: string;
  paths: string;
  basePath: string;
  urlStyle: NonNullable<StartExport['urlStyle']>;
  groups: string;
  strict: boolean;
  airGapped: boolean;
  /** Undefined: use the setting of the project. */
  customScripts: boolean | undefined;
}

interface StartFormProps {
  requested: Project | undefined;
  missing: string | undefined;
  onClose: () => void;
}

function StartForm({ requested, missing, onClose }: StartFormProps) {
  const [project, setProject] = useState(requested);
  const [form, setForm] = useState<StartFields>({
    ref: '',
    version: '',
    paths: '',
    basePath: '',
    urlStyle: 'html',
    groups: '',
    strict: false,
    airGapped: false,
    customScripts: undefined,
  });
  const set = (change: Partial<StartFields>) => setForm({ ...form, ...change });
  const [, go] = useLocation();
  const queries = useQueryClient();
  const body = requestOf(form, project?.domain ?? '');
  const start = useMutation({
    mutationFn: () => client.call('startExport', { body }),
    onSuccess: (job: ExportJob) => {
      queries.setQueryData(['export', job.jobId], job);
      void queries.invalidateQueries({ queryKey: ['exports'] });
      go(`/exports/${job.jobId}`);
    },
  });
  const { error } = start;
  return (
    <Form error={error} onSubmit={() => start.mutate()}>
      {missing !== undefined && project === undefined && (
        <Note tone="warn">The project {missing} does not exist. Choose another one.</Note>
      )}
      <ProjectPicker
        value={project?.id ?? ''}
        onChange={(_id, chosen) => setProject(chosen)}
        hint={project === undefined ? undefined : `${project.domain} · ${project.source.repository}`}
        error={fieldError(error, 'domain')}
      />
      <div className="form-row">
        <TextField
          label="Branch, tag or commit"
          optional
          mono
          value={form.ref}
          onChange={(ref) => set({ ref })}
          placeholder={project?.source.ref ?? 'the default branch'}
          error={fieldError(error, 'ref')}
        />
        <TextField
          label="Version"
          optional
          value={form.version}
          onChange={(version) => set({ version })}
          placeholder="2.4.1"
          maxLength={128}
          hint="A label that is stored in the bundle."
          error={fieldError(error, 'version')}
        />
      </div>
      <Disclosure icon="plus" label="More options">
        <div className="form start-more">
          <MoreOptions form={form} set={set} error={error} project={project} />
        </div>
      </Disclosure>
      <ApiCall operation="startExport" body={body} command={commandOf(body)} />
      {error !== null && <Problem error={error} />}
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
        <Button
          look="primary"
          type="submit"
          icon="play"
          busy={start.isPending}
          disabled={project === undefined}
        >
          Start export
        </Button>
      </DialogActions>
    </Form>
  );
}

function MoreOptions(props: {
  form: StartFields;
  set: (change: Partial<StartFields>) => void;
  error: unknown;
  project: Project | undefined;
}) {
  const { form, set, error, project } = props;
  return (
    <>
      <TextField
        label="Only these pages"
        optional
        mono
        rows={3}
        value={form.paths}
        onChange={(paths) => set({ paths })}
        placeholder={'index\nguides/start'}
        hint="One per line, without extension. If empty, all pages are exported."
        error={fieldError(error, 'paths')}
      />
      <div className="form-row">
        <SelectField
          label="URL style"
          value={form.urlStyle}
          onChange={(urlStyle) => set({ urlStyle })}
          choices={urlStyles}
        />
        <TextField
          label="Base path"
          optional
          mono
          value={form.basePath}
          onChange={(basePath) => set({ basePath })}
          placeholder="/docs"
          hint="The path of the site on its host."
          error={fieldError(error, 'basePath')}
        />
      </div>
      <TextField
        label="Groups"
        optional
        value={form.groups}
        onChange={(groups) => set({ groups })}
        placeholder="partners, staff"
        hint="Export only for the members of these groups. Separate them with commas. If empty, pages for groups are sealed."
        error={fieldError(error, 'groups')}
      />
      <CheckField
        label="Strict"
        hint="The export fails when a page has an error."
        checked={form.strict}
        onChange={(strict) => set({ strict })}
      />
      <CheckField
        label="Air-gapped"
        hint="Omit features that need a network."
        checked={form.airGapped}
        onChange={(airGapped) => set({ airGapped })}
      />
      <CheckField
        label="Include scripts of the repository"
        hint="Pages run the *.js files of the repository in readers' browsers. Enable this only for repositories you trust."
        checked={form.customScripts ?? project?.exports.customScripts === 'include'}
        onChange={(customScripts) => set({ customScripts })}
      />
    </>
  );
}

/** Only values that differ from the defaults, which keeps the displayed API call short. */
function requestOf(form: StartFields, domain: string): StartExport {
  const paths = listed(form.paths, /\n/).map((path) => path.replace(/^\//, ''));
  const groups = listed(form.groups, /[,\n]/);
  return {
    domain,
    ...(form.version.trim() === '' ? {} : { version: form.version.trim() }),
    ...(form.ref.trim() === '' ? {} : { ref: form.ref.trim() }),
    ...(paths.length === 0 ? {} : { paths }),
    ...(form.basePath.trim() === '' ? {} : { basePath: form.basePath.trim() }),
    ...(form.urlStyle === 'html' ? {} : { urlStyle: form.urlStyle }),
    ...(groups.length === 0 ? {} : { groups }),
    ...(form.strict ? { strict: true } : {}),
    ...(form.airGapped ? { airGapped: true } : {}),
    ...(form.customScripts === undefined
      ? {}
      : { customScripts: form.customScripts ? ('include' as const) : ('skip' as const) }),
  };
}

function listed(text: string, separator: RegExp): string[] {
  return text
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function commandOf({
  domain,
  version,
  ref,
  paths,
  basePath,
  urlStyle,
  groups,
  strict,
  airGapped,
  customScripts,
}: StartExport) {
  const options = [
    version === undefined ? [] : ['--version', quoted(version)],
    ref === undefined ? [] : ['--ref', quoted(ref)],
    paths === undefined ? [] : ['--path', ...paths.map(quoted)],
    basePath === undefined ? [] : ['--base-path', quoted(basePath)],
    urlStyle === undefined ? [] : ['--url-style', urlStyle],
    groups === undefined ? [] : ['--group', ...groups.map(quoted)],
    strict === true ? ['--strict'] : [],
    airGapped === true ? ['--air-gapped'] : [],
    customScripts === undefined ? [] : ['--custom-scripts', customScripts],
  ];
  return ['docyard export start', domain, ...options.flat(), '--wait'].join(' ');
}
