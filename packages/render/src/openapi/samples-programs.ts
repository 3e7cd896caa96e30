import type { SampleRequest } from './request.ts';
import { doubleQuoted, indented } from './samples-literals.ts';

const FILE = 'path/to/file';

export function go({ method, url, headers, body }: SampleRequest): string {
  const imports = ['fmt', 'io', 'net/http'];
  const before: string[] = [];
  let payload = 'nil';
  if (body?.kind === 'json' || body?.kind === 'text' || body?.kind === 'form') {
    imports.push('strings');
    payload = 'payload';
    before.push(`payload := strings.NewReader(${goText(body.text)})`, '');
  } else if (body?.kind === 'file') {
    imports.push('os');
    payload = 'payload';
    before.push(`payload, err := os.Open("${FILE}")`, ...failed, '');
  } else if (body?.kind === 'multipart') {
    imports.push('bytes', 'mime/multipart');
    payload = 'payload';
    before.push('payload := &bytes.Buffer{}', 'form := multipart.NewWriter(payload)');
    const files = body.fields.filter(({ isFile }) => isFile);
    if (files.length > 0) imports.push('os');
    for (const { name, initial, isFile } of body.fields) {
      if (isFile) {
        before.push(
          '{',
          `\tpart, _ := form.CreateFormFile(${doubleQuoted(name)}, "file")`,
          `\tfile, err := os.Open("${FILE}")`,
          ...failed.map((line) => `\t${line}`),
          '\tio.Copy(part, file)',
          '\tfile.Close()',
          '}',
        );
      } else before.push(`form.WriteField(${doubleQuoted(name)}, ${doubleQuoted(initial)})`);
    }
    before.push('form.Close()', '');
  }
  const lines = [
    ...before,
    `request, err := http.NewRequest(${doubleQuoted(method)}, ${doubleQuoted(url)}, ${payload})`,
    ...failed,
    ...headers.map(([name, value]) => `request.Header.Set(${doubleQuoted(name)}, ${doubleQuoted(value)})`),
    ...(body?.kind === 'multipart' ? ['request.Header.Set("Content-Type", form.FormDataContentType())'] : []),
    '',
    'response, err := http.DefaultClient.Do(request)',
    ...failed,
    'defer response.Body.Close()',
    '',
    'text, err := io.ReadAll(response.Body)',
    ...failed,
    'fmt.Println(string(text))',
  ];
  const listed = imports.toSorted().map((name) => `\t"${name}"`);
  // Raw strings must keep their line starts, so only generated lines are indented.
  const inside = lines.map((line) => (line === '' ? '' : `\t${line}`));
  return ['package main', '', 'import (', ...listed, ')', '', 'func main() {', ...inside, '}'].join('\n');
}

const failed = ['if err != nil {', '\tpanic(err)', '}'];

function goText(text: string): string {
  return text.includes('\n') && !/[`\r]/.test(text) ? `\`${text}\`` : doubleQuoted(text);
}

export function java({ method, url, headers, body }: SampleRequest): string {
  const imports = [
    'java.net.URI',
    'java.net.http.HttpClient',
    'java.net.http.HttpRequest',
    'java.net.http.HttpResponse',
  ];
  let publisher = 'HttpRequest.BodyPublishers.noBody()';
  const before: string[] = [];
  const allHeaders = [...headers];
  if (body?.kind === 'json' || body?.kind === 'text' || body?.kind === 'form') {
    before.push(`var payload = ${javaText(body.text)};`, '');
    publisher = 'HttpRequest.BodyPublishers.ofString(payload)';
  } else if (body?.kind === 'file') {
    imports.push('java.nio.file.Path');
    publisher = `HttpRequest.BodyPublishers.ofFile(Path.of("${FILE}"))`;
  } else if (body?.kind === 'multipart') {
    if (body.fields.some(({ isFile }) => isFile)) imports.push('java.nio.file.Path');
    allHeaders.push(['Content-Type', 'multipart/form-data; boundary=boundary']);
    publisher = `HttpRequest.BodyPublishers.concat(\n    ${javaParts(body.fields).join(',\n    ')})`;
  }
  const request = [
    `HttpRequest.newBuilder(URI.create(${doubleQuoted(url)}))`,
    ...allHeaders.map(([name, value]) => `.header(${doubleQuoted(name)}, ${doubleQuoted(value)})`),
    `.method(${doubleQuoted(method)}, ${publisher})`,
    '.build();',
  ];
  return [
    ...imports.toSorted().map((name) => `import ${name};`),
    '',
    ...before,
    `var request = ${request.join('\n  ')}`,
    '',
    'var response = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());',
    '',
    'System.out.println(response.body());',
  ].join('\n');
}

/** The JDK client has no multipart support, but can concatenate bodies. */
function javaParts(fields: { name: string; initial: string; isFile: boolean }[]): string[] {
  const parts = fields.flatMap(({ name, initial, isFile }) => {
    const head = `--boundary\r\nContent-Disposition: form-data; name="${name.replaceAll('"', '%22')}"${isFile ? '; filename="file"' : ''}\r\n\r\n`;
    const text = (value: string) => `HttpRequest.BodyPublishers.ofString(${doubleQuoted(value)})`;
    return isFile
      ? [text(head), `HttpRequest.BodyPublishers.ofFile(Path.of("${FILE}"))`, text('\r\n')]
      : [text(`${head}${initial}\r\n`)];
  });
  return [...parts, 'HttpRequest.BodyPublishers.ofString("--boundary--\\r\\n")'];
}

function javaText(text: string): string {
  if (!text.includes('\n') || /[^\n\x20-\x7E\u00A1-\uD7FF]/.test(text)) return doubleQuoted(text);
  const escaped = text
    .replaceAll('\\', '\\\\')
    .replaceAll('"""', String.raw`\"""`)
    .replaceAll(/ $/gm, String.raw`\s`);
  return `"""\n  ${indented(escaped, '  ')}"""`.replace(/"("""$)/, String.raw`\"$1`);
}

export function csharp({ method, url, headers, body }: SampleRequest): string {
  const isType = ([name]: [string, string]) => name.toLowerCase() === 'content-type';
  const type = headers.find(isType)?.[1] ?? 'text/plain';
  const lines = [
    'using var client = new HttpClient();',
    `using var request = new HttpRequestMessage(new HttpMethod(${doubleQuoted(method)}), ${doubleQuoted(url)});`,
    ...headers
      .filter((header) => !isType(header))
      .map(
        ([name, value]) =>
          `request.Headers.TryAddWithoutValidation(${doubleQuoted(name)}, ${doubleQuoted(value)});`,
      ),
  ];
  const media = doubleQuoted(type.split(';')[0] ?? type);
  if (body?.kind === 'json' || body?.kind === 'text' || body?.kind === 'form') {
    lines.push(
      `request.Content = new StringContent(${csharpText(body.text)}, System.Text.Encoding.UTF8, ${media});`,
    );
  } else if (body?.kind === 'file') {
    lines.push(
      `request.Content = new StreamContent(File.OpenRead("${FILE}"));`,
      `request.Content.Headers.ContentType = new(${media});`,
    );
  } else if (body?.kind === 'multipart') {
    lines.push('var form = new MultipartFormDataContent();');
    for (const { name, initial, isFile } of body.fields) {
      lines.push(
        isFile
          ? `form.Add(new StreamContent(File.OpenRead("${FILE}")), ${doubleQuoted(name)}, "file");`
          : `form.Add(new StringContent(${doubleQuoted(initial)}), ${doubleQuoted(name)});`,
      );
    }
    lines.push('request.Content = form;');
  }
  lines.push(
    '',
    'using var response = await client.SendAsync(request);',
    'Console.WriteLine(await response.Content.ReadAsStringAsync());',
  );
  return lines.join('\n');
}

/** A raw string literal is delimited by one more quote than its longest run of quotes. */
function csharpText(text: string): string {
  if (!text.includes('\n') || text.includes('\r')) return doubleQuoted(text);
  const longest = Math.max(2, ...(text.match(/"+/g) ?? []).map((run) => run.length));
  const quotes = '"'.repeat(longest + 1);
  return `${quotes}\n  ${indented(text, '  ')}\n  ${quotes}`;
}
