/** Request samples in Swift, Kotlin, Rust, Dart, C and C++, shown only when configured. */
import type { SampleRequest } from './request.ts';
import { DART, bracedQuoted, dollarQuoted, literal, octalQuoted } from './samples-literals.ts';

const FILE = 'path/to/file';

export function swift({ method, url, headers, body }: SampleRequest): string {
  const lines = [
    'import Foundation',
    '',
    `var request = URLRequest(url: URL(string: ${bracedQuoted(url)})!)`,
    `request.httpMethod = ${bracedQuoted(method)}`,
  ];
  for (const [name, value] of headers)
    lines.push(`request.setValue(${bracedQuoted(value)}, forHTTPHeaderField: ${bracedQuoted(name)})`);
  if (body?.kind === 'json' || body?.kind === 'text' || body?.kind === 'form') {
    lines.push(`request.httpBody = Data(${swiftText(body.text)}.utf8)`);
  } else if (body?.kind === 'file')
    lines.push(`request.httpBody = try Data(contentsOf: URL(fileURLWithPath: "${FILE}"))`);
  else if (body?.kind === 'multipart') {
    lines.push(
      'request.setValue("multipart/form-data; boundary=boundary", forHTTPHeaderField: "Content-Type")',
      'var form = Data()',
    );
    for (const { name, initial, isFile } of body.fields) {
      const head = `--boundary\r\nContent-Disposition: form-data; name="${name.replaceAll('"', '%22')}"${isFile ? '; filename="file"' : ''}\r\n\r\n`;
      lines.push(`form.append(Data(${bracedQuoted(isFile ? head : `${head}${initial}`)}.utf8))`);
      if (isFile) lines.push(`form.append(try Data(contentsOf: URL(fileURLWithPath: "${FILE}")))`);
      lines.push(String.raw`form.append(Data("\r\n".utf8))`);
    }
    lines.push(String.raw`form.append(Data("--boundary--\r\n".utf8))`, 'request.httpBody = form');
  }
  lines.push(
    '',
    'let (data, _) = try await URLSession.shared.data(for: request)',
    'print(String(decoding: data, as: UTF8.self))',
  );
  return lines.join('\n');
}

function swiftText(text: string): string {
  const isPlain = text.includes('\n') && !/"""#|[^\n\x20-\u{10FFFF}]/u.test(text);
  return isPlain ? `#"""\n${text}\n"""#` : bracedQuoted(text);
}

export function kotlin({ method, url, headers, body }: SampleRequest): string {
  const imports = ['import okhttp3.*'];
  if (body) imports.push('import okhttp3.MediaType.Companion.toMediaType');
  const hasFile =
    body?.kind === 'file' || (body?.kind === 'multipart' && body.fields.some(({ isFile }) => isFile));
  if (hasFile) imports.push('import okhttp3.RequestBody.Companion.asRequestBody', 'import java.io.File');
  else imports.push('import okhttp3.RequestBody.Companion.toRequestBody');
  const lines = [...imports, ''];
  const type = dollarQuoted(
    headers.find(([name]) => name === 'Content-Type')?.[1] ?? 'application/octet-stream',
  );
  const needsBody = ['POST', 'PUT', 'PATCH'].includes(method);
  let payload = needsBody ? '"".toRequestBody()' : 'null';
  if (body) payload = 'payload';
  if (body?.kind === 'json' || body?.kind === 'text' || body?.kind === 'form') {
    lines.push(`val payload = ${kotlinText(body.text)}.toRequestBody(${type}.toMediaType())`, '');
  } else if (body?.kind === 'file')
    lines.push(`val payload = File("${FILE}").asRequestBody(${type}.toMediaType())`, '');
  else if (body?.kind === 'multipart') {
    const fields = body.fields.map(({ name, initial, isFile }) =>
      isFile
        ? `  .addFormDataPart(${dollarQuoted(name)}, "file", File("${FILE}").asRequestBody("application/octet-stream".toMediaType()))`
        : `  .addFormDataPart(${dollarQuoted(name)}, ${dollarQuoted(initial)})`,
    );
    lines.push(
      'val payload = MultipartBody.Builder().setType(MultipartBody.FORM)',
      ...fields,
      '  .build()',
      '',
    );
  }
  lines.push('val request = Request.Builder()', `  .url(${dollarQuoted(url)})`);
  for (const [name, value] of headers) lines.push(`  .header(${dollarQuoted(name)}, ${dollarQuoted(value)})`);
  lines.push(
    `  .method(${dollarQuoted(method)}, ${payload})`,
    '  .build()',
    '',
    'OkHttpClient().newCall(request).execute().use { println(it.body?.string()) }',
  );
  return lines.join('\n');
}

function kotlinText(text: string): string {
  return text.includes('\n') && !/"""|"$|[$\r]/.test(text) ? `"""${text}"""` : dollarQuoted(text);
}

export function rust({ method, url, headers, body }: SampleRequest): string {
  const text = bracedQuoted;
  const before: string[] = [];
  const chain = [`.request(reqwest::Method::from_bytes(${rustBytes(method)})?, ${text(url)})`];
  for (const [name, value] of headers) chain.push(`.header(${text(name)}, ${text(value)})`);
  if (body?.kind === 'json' || body?.kind === 'text' || body?.kind === 'form')
    chain.push(`.body(${rustText(body.text)})`);
  if (body?.kind === 'file') chain.push(`.body(std::fs::File::open("${FILE}")?)`);
  if (body?.kind === 'multipart') {
    const fields = body.fields.map(({ name, initial, isFile }) =>
      isFile ? `.file(${text(name)}, "${FILE}")?` : `.text(${text(name)}, ${text(initial)})`,
    );
    before.push(
      `    let form = reqwest::blocking::multipart::Form::new()${fields.map((field) => `\n        ${field}`).join('')};`,
      '',
    );
    chain.push('.multipart(form)');
  }
  return [
    'fn main() -> Result<(), Box<dyn std::error::Error>> {',
    ...before,
    '    let response = reqwest::blocking::Client::new()',
    ...chain.map((call) => `        ${call}`),
    '        .send()?;',
    '',
    '    println!("{}", response.text()?);',
    '    Ok(())',
    '}',
  ].join('\n');
}

function rustBytes(method: string): string {
  return `b"${method}"`;
}

function rustText(text: string): string {
  if (!text.includes('\n') || text.includes('\r')) return bracedQuoted(text);
  const longest = Math.max(0, ...(text.match(/"#*/g) ?? []).map((run) => run.length));
  const marks = '#'.repeat(longest);
  return `r${marks}"${text}"${marks}`;
}

export function dart({ method, url, headers, body }: SampleRequest): string {
  const text = dollarQuoted;
  const imports = ["import 'package:http/http.dart' as http;"];
  if (body?.kind === 'json') imports.unshift("import 'dart:convert';");
  if (body?.kind === 'file') imports.unshift("import 'dart:io';");
  const isMultipart = body?.kind === 'multipart';
  const lines = [
    `final request = http.${isMultipart ? 'MultipartRequest' : 'Request'}(${text(method)}, Uri.parse(${text(url)}));`,
  ];
  for (const [name, value] of headers) lines.push(`request.headers[${text(name)}] = ${text(value)};`);
  if (body?.kind === 'json') lines.push(`request.body = jsonEncode(${literal(body.value, DART, '  ')});`);
  if (body?.kind === 'text' || body?.kind === 'form') lines.push(`request.body = ${text(body.text)};`);
  if (body?.kind === 'file') lines.push(`request.bodyBytes = await File('${FILE}').readAsBytes();`);
  if (body?.kind === 'multipart') {
    for (const { name, initial, isFile } of body.fields)
      lines.push(
        isFile
          ? `request.files.add(await http.MultipartFile.fromPath(${text(name)}, '${FILE}'));`
          : `request.fields[${text(name)}] = ${text(initial)};`,
      );
  }
  lines.push('', 'final response = await request.send();', 'print(await response.stream.bytesToString());');
  return [
    ...imports,
    '',
    'void main() async {',
    ...lines.map((line) => (line === '' ? '' : `  ${line}`)),
    '}',
  ].join('\n');
}

/** libcurl, for C and C++. */
export function c({ method, url, headers, body }: SampleRequest): string {
  const text = octalQuoted;
  const lines = [
    'CURL *curl = curl_easy_init();',
    `curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, ${text(method)});`,
    `curl_easy_setopt(curl, CURLOPT_URL, ${text(url)});`,
    '',
  ];
  if (headers.length > 0) {
    lines.push('struct curl_slist *headers = NULL;');
    for (const [name, value] of headers)
      lines.push(`headers = curl_slist_append(headers, ${text(`${name}: ${value}`)});`);
    lines.push('curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);', '');
  }
  if (body?.kind === 'json' || body?.kind === 'text' || body?.kind === 'form') {
    // Adjacent string literals are concatenated.
    const written = body.text
      .split('\n')
      .map((line, index, all) => text(index < all.length - 1 ? `${line}\n` : line));
    lines.push(`curl_easy_setopt(curl, CURLOPT_POSTFIELDS,\n    ${written.join('\n    ')});`, '');
  } else if (body?.kind === 'file') {
    lines.push(
      'curl_easy_setopt(curl, CURLOPT_UPLOAD, 1L);',
      `curl_easy_setopt(curl, CURLOPT_READDATA, fopen("${FILE}", "rb"));`,
      '',
    );
  } else if (body?.kind === 'multipart') {
    lines.push('curl_mime *form = curl_mime_init(curl);', 'curl_mimepart *part;');
    for (const { name, initial, isFile } of body.fields) {
      lines.push('part = curl_mime_addpart(form);', `curl_mime_name(part, ${text(name)});`);
      lines.push(
        isFile
          ? `curl_mime_filedata(part, "${FILE}");`
          : `curl_mime_data(part, ${text(initial)}, CURL_ZERO_TERMINATED);`,
      );
    }
    lines.push('curl_easy_setopt(curl, CURLOPT_MIMEPOST, form);', '');
  }
  lines.push('curl_easy_perform(curl);', 'curl_easy_cleanup(curl);');
  return [
    '#include <stdio.h>',
    '#include <curl/curl.h>',
    '',
    'int main(void) {',
    ...lines.map((line) => (line === '' ? '' : `  ${line}`)),
    '  return 0;',
    '}',
  ].join('\n');
}
