// libcurl's setters are variadic, which Swift cannot call: one wrapper for each type of argument.
#ifndef CLIBCURL_H
#define CLIBCURL_H

#include <curl/curl.h>

// An enumerator in libcurl 7, a macro in later versions of libcurl 8: Swift would see two types.
static const long clibcurl_usessl_all = CURLUSESSL_ALL;

typedef size_t (*clibcurl_write_callback)(char *bytes, size_t size, size_t count, void *context);

CURLcode clibcurl_set_long(CURL *easy, CURLoption option, long value);
CURLcode clibcurl_set_string(CURL *easy, CURLoption option, const char *value);
CURLcode clibcurl_set_pointer(CURL *easy, CURLoption option, void *value);
CURLcode clibcurl_set_write(CURL *easy, CURLoption option, clibcurl_write_callback callback);
CURLcode clibcurl_set_opensocket(CURL *easy, curl_opensocket_callback callback);
CURLcode clibcurl_set_list(CURL *easy, CURLoption option, struct curl_slist *list);
CURLcode clibcurl_get_long(CURL *easy, CURLINFO info, long *value);
CURLcode clibcurl_get_socket(CURL *easy, CURLINFO info, curl_socket_t *value);

CURLMcode clibcurl_multi_set_long(CURLM *multi, CURLMoption option, long value);
CURLMcode clibcurl_multi_set_pointer(CURLM *multi, CURLMoption option, void *value);
CURLMcode clibcurl_multi_set_socket(CURLM *multi, curl_socket_callback callback);
CURLMcode clibcurl_multi_set_timer(CURLM *multi, curl_multi_timer_callback callback);

CURL *clibcurl_message_easy(const CURLMsg *message);
CURLcode clibcurl_message_result(const CURLMsg *message);

#endif
