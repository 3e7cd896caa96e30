/**
 * The words of API pages and of the form on them, in the languages of the interface. Details of a schema stay English:
 * they name what the description says.
 */
import { dictionaryKey } from './words.ts';

const texts = [
  'Authorizations',
  'Authorization',
  'Path parameters',
  'Query parameters',
  'Path',
  'Query',
  'Headers',
  'Cookies',
  'Body',
  'Payload',
  'Response',
  'Callbacks',
  'Parameters',
  'Request',
  'Example',
  'Try it',
  'Send',
  'Stop',
  'Copy',
  'Copied',
  'Close',
  'Server',
  'Command',
] as const;

export type ApiText = (typeof texts)[number];

/** Says a text in the language of the page. */
export type Say = (text: ApiText) => string;

/** One line a language, in the order of the English texts. */
const lines: Record<string, string> = {
  de: 'Autorisierung|Autorisierung|Pfadparameter|Abfrageparameter|Pfad|Abfrage|Header|Cookies|Body|Nutzdaten|Antwort|Callbacks|Parameter|Anfrage|Beispiel|Ausprobieren|Senden|Abbrechen|Kopieren|Kopiert|Schließen|Server|Befehl',
  es: 'Autorización|Autorización|Parámetros de ruta|Parámetros de consulta|Ruta|Consulta|Encabezados|Cookies|Cuerpo|Carga útil|Respuesta|Callbacks|Parámetros|Solicitud|Ejemplo|Probar|Enviar|Detener|Copiar|Copiado|Cerrar|Servidor|Comando',
  fr: 'Autorisation|Autorisation|Paramètres de chemin|Paramètres de requête|Chemin|Requête|En-têtes|Cookies|Corps|Charge utile|Réponse|Callbacks|Paramètres|Requête|Exemple|Essayer|Envoyer|Arrêter|Copier|Copié|Fermer|Serveur|Commande',
  it: 'Autorizzazione|Autorizzazione|Parametri di percorso|Parametri di query|Percorso|Query|Intestazioni|Cookie|Corpo|Payload|Risposta|Callback|Parametri|Richiesta|Esempio|Prova|Invia|Interrompi|Copia|Copiato|Chiudi|Server|Comando',
  pt: 'Autorização|Autorização|Parâmetros de caminho|Parâmetros de consulta|Caminho|Consulta|Cabeçalhos|Cookies|Corpo|Carga útil|Resposta|Callbacks|Parâmetros|Requisição|Exemplo|Testar|Enviar|Parar|Copiar|Copiado|Fechar|Servidor|Comando',
  ru: 'Авторизация|Авторизация|Параметры пути|Параметры запроса|Путь|Запрос|Заголовки|Файлы cookie|Тело|Данные|Ответ|Обратные вызовы|Параметры|Запрос|Пример|Попробовать|Отправить|Остановить|Копировать|Скопировано|Закрыть|Сервер|Команда',
  zh: '授权|授权|路径参数|查询参数|路径|查询|标头|Cookie|正文|载荷|响应|回调|参数|请求|示例|试一试|发送|停止|复制|已复制|关闭|服务器|命令',
  'zh-hant':
    '授權|授權|路徑參數|查詢參數|路徑|查詢|標頭|Cookie|主體|承載資料|回應|回呼|參數|請求|範例|試試看|傳送|停止|複製|已複製|關閉|伺服器|指令',
  ja: '認可|認可|パスパラメータ|クエリパラメータ|パス|クエリ|ヘッダー|Cookie|ボディ|ペイロード|レスポンス|コールバック|パラメータ|リクエスト|例|試す|送信|停止|コピー|コピーしました|閉じる|サーバー|コマンド',
  ko: '인증|인증|경로 매개변수|쿼리 매개변수|경로|쿼리|헤더|쿠키|본문|페이로드|응답|콜백|매개변수|요청|예시|사용해 보기|보내기|중지|복사|복사됨|닫기|서버|명령',
  ar: 'التفويض|التفويض|معاملات المسار|معاملات الاستعلام|المسار|الاستعلام|الترويسات|ملفات تعريف الارتباط|المحتوى|الحمولة|الاستجابة|الاستدعاءات الراجعة|المعاملات|الطلب|مثال|جرّب|إرسال|إيقاف|نسخ|تم النسخ|إغلاق|الخادم|الأمر',
  he: 'הרשאה|הרשאה|פרמטרים בנתיב|פרמטרים בשאילתה|נתיב|שאילתה|כותרות|קובצי Cookie|גוף|מטען|תגובה|קריאות חוזרות|פרמטרים|בקשה|דוגמה|לנסות|שליחה|עצירה|העתקה|הועתק|סגירה|שרת|פקודה',
};

/** The texts by their English form; undefined for English and for languages that are not known. */
export function apiTexts(language: string | undefined): Record<ApiText, string> | undefined {
  const key = dictionaryKey(language ?? 'en');
  const line = Object.hasOwn(lines, key) ? lines[key] : undefined;
  if (line === undefined) return undefined;
  const words = line.split('|');
  return Object.fromEntries(texts.map((text, index) => [text, words[index] ?? text])) as Record<
    ApiText,
    string
  >;
}

export function sayIn(language: string | undefined): Say {
  const known = apiTexts(language);
  return (text) => known?.[text] ?? text;
}
