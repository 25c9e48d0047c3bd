<?php
/* Installs WordPress into an empty database and prints the application passwords as JSON. */
[, $root] = $argv;
$_SERVER += ['HTTP_HOST' => '127.0.0.1', 'REQUEST_URI' => '/', 'SERVER_PROTOCOL' => 'HTTP/1.1', 'REQUEST_METHOD' => 'GET'];
define('WP_INSTALLING', true);
require "$root/wp-load.php";
require_once ABSPATH . 'wp-admin/includes/upgrade.php';
function wp_new_blog_notification() {}
wp_install('Peer', 'admin', 'admin@example.test', true, '', 'admin-pass');
switch_theme('peer');
update_option('permalink_structure', '/%postname%/');
update_option('timezone_string', 'America/New_York'); // local time is not UTC
$passwords = [];
foreach (['admin' => 'administrator', 'viewer' => 'subscriber'] as $login => $role) {
    $user = get_user_by('login', $login);
    $id = $user ? $user->ID : wp_insert_user(
        ['user_login' => $login, 'user_pass' => "$login-pass", 'user_email' => "$login@example.test", 'role' => $role]
    );
    [$passwords[$login]] = WP_Application_Passwords::create_new_application_password($id, ['name' => 'truecopy']);
}
foreach (get_posts(['post_type' => 'any', 'post_status' => 'any', 'numberposts' => -1]) as $post) {
    wp_delete_post($post->ID, true);
}
echo json_encode(['passwords' => $passwords, 'version' => $GLOBALS['wp_version']]);
