<?php
/*
 * Plugin Name: truecopy events
 * Description: Tells truecopy which document to look at again, signed by the Standard Webhooks specification.
 *
 * Copy this file to wp-content/mu-plugins/ and set two constants in wp-config.php:
 *
 *   define('TRUECOPY_WEBHOOK_URL', 'https://airflow.example.com/truecopy/hooks/news');
 *   define('TRUECOPY_WEBHOOK_SECRET', 'whsec_...');   // openssl rand -base64 32, with whsec_ in front
 *
 * One event for each document that a request touches, sent after the page was delivered; when it touches very many, one
 * event about the whole site. An event names a document and nothing else. What changes a document without touching it is named too: a page above it, a synced pattern, a category.
 */

if (defined('ABSPATH')) {
    Truecopy_Events::listen();
}

final class Truecopy_Events {
    /** More documents than this are told as one event: a renamed category must not send thousands. */
    private const MOST_DOCUMENTS = 100;

    /** @var array<int, array{hook: string, type: string, status: string}> by document */
    private static $touched = [];

    public static function listen(): void {
        add_action('wp_after_insert_post', [self::class, 'saved'], 10, 2);
        add_action('before_delete_post', [self::class, 'touch_below']);
        add_action('deleted_post', [self::class, 'deleted'], 10, 2);
        add_action('edited_term', [self::class, 'touch_filed_under'], 10, 3);
        add_action('pre_delete_term', [self::class, 'touch_filed_under_doomed'], 10, 2);
        add_action('shutdown', [self::class, 'send']);
    }

    public static function saved($id, $post): void {
        if ($post->post_type === 'wp_block') {
            self::touch_users_of_pattern($id);
            return;
        }
        self::touch($id, 'wp_after_insert_post');
        self::touch_below($id);
    }

    public static function deleted($id, $post): void {
        if (self::is_document($post->post_type)) {
            self::$touched[(int) $id] = ['hook' => 'deleted_post', 'type' => $post->post_type, 'status' => $post->post_status];
        }
    }

    /** Addresses of the pages below hold that of this one, and WordPress names none of them. */
    public static function touch_below($id): void {
        global $wpdb;
        $query = $wpdb->prepare("SELECT ID FROM $wpdb->posts WHERE post_type = 'page' AND post_parent = %d", $id);
        foreach ($wpdb->get_col($query) as $child) {
            self::touch($child);
            self::touch_below($child);
        }
    }

    public static function touch_filed_under($term, $tt, $taxonomy): void {
        foreach ((array) get_objects_in_term($term, $taxonomy) as $id) {
            self::touch($id);
        }
    }

    public static function touch_filed_under_doomed($term, $taxonomy): void {
        self::touch_filed_under($term, 0, $taxonomy);
    }

    private static function touch_users_of_pattern($id): void {
        global $wpdb;
        $like = '%' . $wpdb->esc_like('wp:block {"ref":' . (int) $id) . '%';
        $query = $wpdb->prepare("SELECT ID FROM $wpdb->posts WHERE post_type <> 'revision' AND post_content LIKE %s", $like);
        foreach ($wpdb->get_col($query) as $user) {
            self::touch($user);
        }
    }

    /** $hook is "derived" where no hook of WordPress names the document. */
    private static function touch($id, $hook = 'derived'): void {
        $post = get_post($id);
        if ($post && self::is_document($post->post_type)) {
            $known = self::$touched[(int) $id]['hook'] ?? 'derived';
            self::$touched[(int) $id] = [
                'hook' => $known === 'derived' ? $hook : $known,
                'type' => $post->post_type,
                'status' => $post->post_status,
            ];
        }
    }

    /** Types that the REST API shows are those that truecopy can read. */
    private static function is_document(string $type): bool {
        $object = get_post_type_object($type);
        return $object && $object->public && $object->show_in_rest && $type !== 'attachment';
    }

    public static function send(): void {
        $url = defined('TRUECOPY_WEBHOOK_URL') ? TRUECOPY_WEBHOOK_URL : '';
        $secret = defined('TRUECOPY_WEBHOOK_SECRET') ? TRUECOPY_WEBHOOK_SECRET : '';
        $key = base64_decode(preg_replace('/^whsec_/', '', (string) $secret), true);
        if (!$url || !self::$touched) {
            return;
        }
        if (!$key) {
            error_log('truecopy: TRUECOPY_WEBHOOK_SECRET is missing or no base64 after whsec_; no event is sent');
            return;
        }
        if (function_exists('fastcgi_finish_request')) {
            fastcgi_finish_request(); // the editor does not wait for us
        }
        foreach (self::events() as [$type, $data]) {
            $failure = self::deliver($url, $key, $type, $data);
            if ($failure) {
                error_log("truecopy: an event was not taken ($failure); the nightly run finds what it was about");
                break; // nor would it take the others, and each may cost seconds
            }
        }
        self::$touched = [];
    }

    /** @return list<array{string, array|object}> type and data of each event */
    private static function events(): array {
        if (count(self::$touched) > self::MOST_DOCUMENTS) {
            return [['site.updated', new stdClass()]];
        }
        $events = [];
        foreach (self::$touched as $id => $facts) {
            $type = $facts['hook'] === 'deleted_post' ? 'document.deleted' : 'document.updated';
            $events[] = [$type, ['id' => $id] + $facts];
        }
        return $events;
    }

    /** Why the event was not taken; empty if it was. */
    private static function deliver(string $url, string $key, string $type, $data): string {
        $message = 'msg_' . bin2hex(random_bytes(12));
        $now = (string) time();
        $body = wp_json_encode(['type' => $type, 'timestamp' => gmdate('c'), 'data' => $data]);
        $signature = base64_encode(hash_hmac('sha256', "$message.$now.$body", $key, true));
        $answer = wp_remote_post($url, ['timeout' => 5, 'body' => $body, 'headers' => [
            'Content-Type' => 'application/json',
            'webhook-id' => $message,
            'webhook-timestamp' => $now,
            'webhook-signature' => "v1,$signature",
        ]]);
        if (is_wp_error($answer)) {
            return $answer->get_error_message();
        }
        $status = (int) wp_remote_retrieve_response_code($answer);
        return $status >= 200 && $status < 300 ? '' : "HTTP $status";
    }
}
