import { modelProviders, type Project, type SetProjectAgent } from '@docyard/api';
import { ApiCall } from '../../parts/api-call.tsx';
import { CheckField, SelectField, TextField } from '../../parts/field.tsx';
import { Form } from '../../parts/form.tsx';
import { Badge } from '../../parts/note.tsx';
import { Panel } from '../../parts/page.tsx';
import { SaveRow } from './save-row.tsx';
import { useProjectForm } from './project-form.ts';

type Provider = (typeof modelProviders)[number];

interface ModelForm {
  from: 'installation' | 'project';
  provider: Provider;
  url: string;
  name: string;
  key: string;
  forgetsKey: boolean;
  contextTokens: string;
  maxOutputTokens: string;
  temperature: string;
  firstByteSeconds: string;
  idleSeconds: string;
}

const numberFields = [
  { name: 'contextTokens', label: 'Context in tokens', placeholder: '32768' },
  { name: 'maxOutputTokens', label: 'Tokens of an answer', placeholder: '8192' },
  { name: 'temperature', label: 'Temperature', placeholder: '' },
  { name: 'firstByteSeconds', label: 'Seconds until an answer begins', placeholder: '600' },
  { name: 'idleSeconds', label: 'Seconds between its parts', placeholder: '60' },
] as const;

const providerNames: Record<Provider, string> = {
  openai: 'OpenAI and compatible',
  anthropic: 'Anthropic',
  gemini: 'Gemini',
};

const labels = {
  provider: 'Format',
  name: 'Model',
  url: 'Address',
  ...Object.fromEntries(numberFields.map(({ name, label }) => [name, label])),
};

export function ModelSettings({ project }: { project: Project }) {
  const edit = useProjectForm(project, formOf, (fields) => ({
    agent: { model: modelOf(fields, project) },
  }));
  const { form, set } = edit;
  const { model } = project.agent;
  const headers = Object.keys(model?.headers ?? {});
  const keepsKey = model?.key.set === true && !form.forgetsKey && form.key === '';
  const losesKey = keepsKey && URL.parse(form.url)?.host !== URL.parse(model.url)?.host;
  return (
    <Panel
      title="Model"
      aside={
        model === null ? (
          <Badge tone="quiet">Of the installation</Badge>
        ) : (
          <Badge tone={model.key.set ? 'good' : 'warn'}>{model.key.set ? 'Key is set' : 'No key'}</Badge>
        )
      }
    >
      <Form error={edit.error} onSubmit={edit.submit}>
        <SelectField
          label="Endpoint"
          value={form.from}
          onChange={(from) => set({ from })}
          choices={[
            { value: 'installation', label: 'Model of the installation' },
            { value: 'project', label: 'Model of this project' },
          ]}
          {...(form.from === 'installation'
            ? { hint: 'The operator sets it with MODEL_URL, MODEL_NAME and MODEL_KEY_FILE.' }
            : {})}
        />
        {form.from === 'project' && (
          <>
            <div className="form-row">
              <SelectField
                label="Format"
                value={form.provider}
                onChange={(provider) => set({ provider })}
                choices={modelProviders.map((value) => ({ value, label: providerNames[value] }))}
              />
              <TextField
                label="Model"
                mono
                value={form.name}
                onChange={(name) => set({ name })}
                placeholder="writer-large"
                required
                path="agent.model.name"
              />
            </div>
            <TextField
              label="Address"
              mono
              type="url"
              value={form.url}
              onChange={(url) => set({ url })}
              placeholder="https://models.example.com/v1"
              required
              {...(headers.length === 0
                ? {}
                : { hint: `Requests have extra headers until the host changes: ${headers.join(', ')}.` })}
              path="agent.model.url"
            />
            <TextField
              label="Key"
              optional
              mono
              type="password"
              autoComplete="off"
              value={form.key}
              onChange={(key) => set({ key, forgetsKey: false })}
              placeholder={model?.key.set === true ? 'A key is set. Enter another to replace it.' : ''}
              hint={
                losesKey
                  ? 'The stored key will be deleted because the host has changed. Enter the key again.'
                  : 'Stored encrypted and never shown again.'
              }
              path="agent.model.key"
            />
            {model?.key.set === true && (
              <CheckField
                label="Forget the key"
                checked={form.forgetsKey}
                onChange={(forgetsKey) => set({ forgetsKey, key: '' })}
              />
            )}
            <div className="form-row">
              {numberFields.map(({ name, label, placeholder }) => (
                <TextField
                  key={name}
                  label={label}
                  optional
                  mono
                  value={form[name]}
                  onChange={(value) => set({ [name]: value })}
                  placeholder={placeholder}
                  path={`agent.model.${name}`}
                />
              ))}
            </div>
          </>
        )}
        <SaveRow edit={edit} labels={labels} />
      </Form>
      <ApiCall
        operation="updateProject"
        params={{ projectId: project.id }}
        body={{ agent: { model: modelOf({ ...form, key: form.key === '' ? '' : 'the-key' }, project) } }}
        command={commandOf(project, form)}
      />
    </Panel>
  );
}

function formOf({ agent: { model } }: Project): ModelForm {
  return {
    from: model === null ? 'installation' : 'project',
    provider: model?.provider ?? 'openai',
    url: model?.url ?? '',
    name: model?.name ?? '',
    key: '',
    forgetsKey: false,
    contextTokens: textOf(model?.contextTokens),
    maxOutputTokens: textOf(model?.maxOutputTokens),
    temperature: textOf(model?.temperature),
    firstByteSeconds: textOf(model?.firstByteSeconds),
    idleSeconds: textOf(model?.idleSeconds),
  };
}

function textOf(value: number | undefined): string {
  return value === undefined ? '' : String(value);
}

function modelOf(
  form: ModelForm,
  { agent: { model } }: Project,
): NonNullable<SetProjectAgent['model']> | null {
  if (form.from === 'installation') return null;
  return {
    provider: form.provider,
    url: form.url.trim(),
    name: form.name.trim(),
    ...(form.forgetsKey ? { key: null } : form.key === '' ? {} : { key: form.key }),
    ...Object.fromEntries(
      numberFields.flatMap(({ name }) => (form[name].trim() === '' ? [] : [[name, Number(form[name])]])),
    ),
    // The form does not show it, and the API replaces the model as a whole.
    ...(model?.body === undefined ? {} : { body: model.body }),
  };
}

function commandOf(project: Project, form: ModelForm): string {
  if (form.from === 'installation') return `docyard projects agent ${project.domain} --no-model`;
  const options = numberFields.flatMap(({ name }) => (form[name] === '' ? [] : [`${name}=${form[name]}`]));
  return [
    `docyard projects agent ${project.domain} --model ${form.name || 'NAME'}`,
    `--model-url ${form.url || 'ADDRESS'} --model-provider ${form.provider}`,
    form.forgetsKey ? '--no-model-key' : '--model-key-file ./key',
    ...(options.length === 0 ? [] : [`--model-option ${options.join(' ')}`]),
  ].join(' \\\n  ');
}
