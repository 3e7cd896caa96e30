/**
 * Translations of API pages and the request form. Schema details stay English because they quote the API
 * description.
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
  '{name} is required and empty. Fill it in, or send again to try without it.',
  'Command',
] as const;

export type ApiText = (typeof texts)[number];

export type Say = (text: ApiText) => string;

/** One line per language, in the order of the English texts. */
const lines: Record<string, string> = {
  de: 'Autorisierung|Autorisierung|Pfadparameter|Abfrageparameter|Pfad|Abfrage|Header|Cookies|Body|Nutzdaten|Antwort|Callbacks|Parameter|Anfrage|Beispiel|Ausprobieren|Senden|Abbrechen|Kopieren|Kopiert|Schließen|Server|{name} ist erforderlich und leer. Ausfüllen oder erneut senden, um es ohne zu versuchen.|Befehl',
  es: 'Autorización|Autorización|Parámetros de ruta|Parámetros de consulta|Ruta|Consulta|Encabezados|Cookies|Cuerpo|Carga útil|Respuesta|Callbacks|Parámetros|Solicitud|Ejemplo|Probar|Enviar|Detener|Copiar|Copiado|Cerrar|Servidor|{name} es obligatorio y está vacío. Complétalo o envía de nuevo para probar sin él.|Comando',
  fr: 'Autorisation|Autorisation|Paramètres de chemin|Paramètres de requête|Chemin|Requête|En-têtes|Cookies|Corps|Charge utile|Réponse|Callbacks|Paramètres|Requête|Exemple|Essayer|Envoyer|Arrêter|Copier|Copié|Fermer|Serveur|{name} est obligatoire et vide. Remplissez-le ou renvoyez pour essayer sans.|Commande',
  it: 'Autorizzazione|Autorizzazione|Parametri di percorso|Parametri di query|Percorso|Query|Intestazioni|Cookie|Corpo|Payload|Risposta|Callback|Parametri|Richiesta|Esempio|Prova|Invia|Interrompi|Copia|Copiato|Chiudi|Server|{name} è obbligatorio ed è vuoto. Compilalo o invia di nuovo per provare senza.|Comando',
  pt: 'Autorização|Autorização|Parâmetros de caminho|Parâmetros de consulta|Caminho|Consulta|Cabeçalhos|Cookies|Corpo|Carga útil|Resposta|Callbacks|Parâmetros|Requisição|Exemplo|Testar|Enviar|Parar|Copiar|Copiado|Fechar|Servidor|{name} é obrigatório e está vazio. Preencha-o ou envie de novo para testar sem ele.|Comando',
  ru: 'Авторизация|Авторизация|Параметры пути|Параметры запроса|Путь|Запрос|Заголовки|Файлы cookie|Тело|Данные|Ответ|Обратные вызовы|Параметры|Запрос|Пример|Попробовать|Отправить|Остановить|Копировать|Скопировано|Закрыть|Сервер|Поле «{name}» обязательно и не заполнено. Заполните его или отправьте ещё раз без него.|Команда',
  zh: '授权|授权|路径参数|查询参数|路径|查询|标头|Cookie|正文|载荷|响应|回调|参数|请求|示例|试一试|发送|停止|复制|已复制|关闭|服务器|{name} 为必填项，目前为空。请填写，或再次发送以在没有它的情况下尝试。|命令',
  'zh-hant':
    '授權|授權|路徑參數|查詢參數|路徑|查詢|標頭|Cookie|主體|承載資料|回應|回呼|參數|請求|範例|試試看|傳送|停止|複製|已複製|關閉|伺服器|{name} 為必填項，目前為空。請填寫，或再次傳送以在沒有它的情況下嘗試。|指令',
  ja: '認可|認可|パスパラメータ|クエリパラメータ|パス|クエリ|ヘッダー|Cookie|ボディ|ペイロード|レスポンス|コールバック|パラメータ|リクエスト|例|試す|送信|停止|コピー|コピーしました|閉じる|サーバー|{name} は必須ですが空です。入力するか、もう一度送信して入力なしで試してください。|コマンド',
  ko: '인증|인증|경로 매개변수|쿼리 매개변수|경로|쿼리|헤더|쿠키|본문|페이로드|응답|콜백|매개변수|요청|예시|사용해 보기|보내기|중지|복사|복사됨|닫기|서버|{name}은(는) 필수 항목이지만 비어 있습니다. 입력하거나 다시 보내 없이 시도하세요.|명령',
  ar: 'التفويض|التفويض|معاملات المسار|معاملات الاستعلام|المسار|الاستعلام|الترويسات|ملفات تعريف الارتباط|المحتوى|الحمولة|الاستجابة|الاستدعاءات الراجعة|المعاملات|الطلب|مثال|جرّب|إرسال|إيقاف|نسخ|تم النسخ|إغلاق|الخادم|الحقل {name} مطلوب وفارغ. املأه، أو أرسل مرة أخرى للتجربة بدونه.|الأمر',
  he: 'הרשאה|הרשאה|פרמטרים בנתיב|פרמטרים בשאילתה|נתיב|שאילתה|כותרות|קובצי Cookie|גוף|מטען|תגובה|קריאות חוזרות|פרמטרים|בקשה|דוגמה|לנסות|שליחה|עצירה|העתקה|הועתק|סגירה|שרת|השדה {name} נדרש וריק. יש למלא אותו, או לשלוח שוב כדי לנסות בלעדיו.|פקודה',
};

/** Undefined for English and unsupported languages. */
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
